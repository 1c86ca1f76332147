"""PyTorch DistributedDataParallel over gloo on the CPU: a torchvision model, one synthetic batch a rank, one thread a rank.

    .deps/peers/bin/python tests/bench/peers/ddp.py --size 64 --batch 16 --steps 12 --channels-last --static-graph

Prints one JSON line: {"images_per_s", "step_s": {"median", "min", "max"}, ...}. The batch lies in memory before the
first step: no loader, which is in the peer's favour. A step's time is that of the slower rank, since the
all-reduce holds the ranks together.
"""

import argparse
import json
import os
import socket
import statistics
import time

import torch
import torch.distributed as dist
import torch.multiprocessing
import torchvision
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel


def worker(rank, port, settings):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=settings.ranks)
    torch.manual_seed(1)
    layout = torch.channels_last if settings.channels_last else torch.contiguous_format
    net = getattr(torchvision.models, settings.model)(num_classes=settings.classes).to(memory_format=layout)
    model = DistributedDataParallel(net, gradient_as_bucket_view=settings.bucket_view,
                                    static_graph=settings.static_graph, broadcast_buffers=settings.broadcast_buffers)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4,
                                fused=True if settings.fused else None)
    torch.manual_seed(100 + rank)
    images = torch.randn(settings.batch, 3, settings.size, settings.size).to(memory_format=layout)
    labels = torch.randint(settings.classes, (settings.batch,))

    times = []
    for step in range(settings.warmup + settings.steps):
        begin = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.bf16):
            loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        if step >= settings.warmup:
            times.append(time.perf_counter() - begin)
    if rank == 0:
        median = statistics.median(times)
        print(json.dumps({"images_per_s": settings.batch * settings.ranks / median,
                          "step_s": {"median": median, "min": min(times), "max": max(times)},
                          "settings": {k: v for k, v in vars(settings).items() if k != "warmup"},
                          "torch": torch.__version__}), flush=True)
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16, help="images a rank")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--bf16", action="store_true", help="autocast to bfloat16")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--fused", action="store_true", help="fused SGD")
    parser.add_argument("--static-graph", action="store_true")
    parser.add_argument("--bucket-view", action="store_true", help="gradient_as_bucket_view")
    parser.add_argument("--no-broadcast-buffers", dest="broadcast_buffers", action="store_false")
    settings = parser.parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ["OMP_NUM_THREADS"] = "1"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(worker, (port, settings), settings.ranks)


if __name__ == "__main__":
    main()
