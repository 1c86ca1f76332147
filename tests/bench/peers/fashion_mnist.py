"""The quickstart's recipe in PyTorch: a ResNet-20 on Fashion-MNIST, two processes, DistributedDataParallel over gloo.

    .deps/peers/bin/python tests/bench/peers/fashion_mnist.py --seed 1

Prints one JSON line: {"seed", "accuracy", "epochs": [{"loss", "accuracy"}, ...], "train_s", ...}. The defaults
are the recipe; slurm/fashion_mnist.yaml says the same for lockstep.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import socket
import sys
import time

import numpy
import torch
import torch.distributed as dist
import torch.multiprocessing
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

MEAN, STD = 0.2860, 0.3530


def read_idx(path):
    raw = gzip.open(path.with_name(path.name + ".gz")).read() if not path.exists() else path.read_bytes()
    rank = raw[3]
    shape = numpy.frombuffer(raw, ">i4", rank, 4)
    return torch.from_numpy(numpy.frombuffer(raw, numpy.uint8, -1, 4 + 4 * rank).reshape(shape).copy())


def read_split(folder, name):
    return read_idx(folder / f"{name}-images-idx3-ubyte"), read_idx(folder / f"{name}-labels-idx1-ubyte").long()


class Block(nn.Module):
    """torchvision's BasicBlock: two 3x3 convolutions, 1x1 projection where the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        y = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        return functional.relu(self.bn2(self.conv2(y)) + shortcut, inplace=True)


class SmallResNet(nn.Module):
    """3x3 stem, three stages of `width`, 2 `width`, 4 `width` channels with `blocks` blocks each."""

    def __init__(self, width, blocks, stem_stride, channels=1, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stem_stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        inputs = width
        for stage in range(3):
            outputs = width << stage
            layers = []
            for block in range(blocks):
                layers.append(Block(inputs, outputs, 2 if stage > 0 and block == 0 else 1))
                inputs = outputs
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        self.fc = nn.Linear(inputs, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


def augment(images, padding, flip):
    """Pad with zeros and crop at random, then mirror with probability 1/2. N x H x W, uint8."""
    count, height, width = images.shape
    if padding > 0:
        images = functional.pad(images, (padding,) * 4)
        top = torch.randint(2 * padding + 1, (count, 1, 1)) + torch.arange(height).view(1, -1, 1)
        left = torch.randint(2 * padding + 1, (count, 1, 1)) + torch.arange(width).view(1, 1, -1)
        images = images[torch.arange(count).view(-1, 1, 1), top, left]
    if flip:
        images = torch.where(torch.rand(count, 1, 1) < 0.5, images.flip(2), images)
    return images


def as_input(images):
    return ((images.float() / 255 - MEAN) / STD).unsqueeze(1).contiguous(memory_format=torch.channels_last)


def learning_rate(step, steps, warmup, peak):
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))


@torch.no_grad()
def evaluate(net, images, labels, rank, ranks):
    net.eval()
    mine = range(rank, len(labels), ranks)
    correct = 0
    for begin in range(0, len(mine), 500):
        ids = torch.tensor(mine[begin:begin + 500])
        correct += int((net(as_input(images[ids])).argmax(1) == labels[ids]).sum())
    total = torch.tensor([float(correct)])
    dist.all_reduce(total)
    net.train()
    return total.item() / len(labels)


def worker(rank, ranks, port, settings):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    images, labels = read_split(settings.data, "train")
    test = read_split(settings.data, "t10k")
    torch.manual_seed(settings.seed)
    net = SmallResNet(settings.width, settings.blocks, settings.stem_stride).to(memory_format=torch.channels_last)
    model = DistributedDataParallel(net, gradient_as_bucket_view=True, static_graph=True)
    decayed = [p for p in net.parameters() if p.dim() > 1]
    others = [p for p in net.parameters() if p.dim() <= 1]
    optimizer = torch.optim.SGD([{"params": decayed, "weight_decay": settings.weight_decay},
                                 {"params": others, "weight_decay": 0.0}],
                                lr=settings.learning_rate, momentum=0.9, nesterov=True)
    torch.manual_seed(settings.seed * 1000 + rank)  # from here on: augmentation, another stream on each rank
    order = torch.Generator().manual_seed(settings.seed)
    steps_per_epoch = len(labels) // settings.global_batch
    steps = settings.epochs * steps_per_epoch
    warmup = round(settings.warmup_epochs * steps_per_epoch)
    local = settings.global_batch // ranks
    step, epochs, begin = 0, [], time.monotonic()
    for _ in range(settings.epochs):
        permutation = torch.randperm(len(labels), generator=order)
        total = torch.zeros(1)
        for i in range(steps_per_epoch):
            ids = permutation[i * settings.global_batch + rank * local:][:local]
            x = as_input(augment(images[ids], settings.crop_padding, settings.flip))
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, steps, warmup, settings.learning_rate)
            loss = functional.cross_entropy(model(x), labels[ids], label_smoothing=settings.label_smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
            step += 1
        dist.all_reduce(total)
        epochs.append({"loss": round(total.item() / ranks / steps_per_epoch, 4),
                       "accuracy": evaluate(net, *test, rank, ranks), "end_s": round(time.monotonic() - begin, 1)})
        if rank == 0:
            print(f"epoch {len(epochs)}: {epochs[-1]}", file=sys.stderr, flush=True)
    if rank == 0:
        print(json.dumps({"seed": settings.seed, "accuracy": epochs[-1]["accuracy"], "epochs": epochs,
                          "train_s": epochs[-1]["end_s"], "parameters": sum(p.numel() for p in net.parameters()),
                          "torch": torch.__version__}), flush=True)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--global-batch", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--warmup-epochs", type=float, default=0.2)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--label-smoothing", type=float, default=0.0)
    parser.add_argument("--crop-padding", type=int, default=0)
    parser.add_argument("--flip", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--stem-stride", type=int, default=2)
    settings = parser.parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(worker, (settings.ranks, port, settings), settings.ranks)


if __name__ == "__main__":
    main()
