"""Makes tests/support/reference/*.json: what torchvision and PyTorch say, for the C++ tests to compare with.

    tests/bench/setup-peers && .deps/peers/bin/python tests/support/make_reference.py

No weights are shipped. They follow from a closed formula, which the C++ tests compute too and get the same bits:

    value(stream, i, bound) = float((lowbias32((stream * 0x9E3779B1 + i) mod 2^32) / 2^32 - 0.5) * 2 * bound)
    lowbias32(x): x ^= x >> 16; x *= 0x7feb352d; x ^= x >> 15; x *= 0x846ca68b; x ^= x >> 16   (mod 2^32)

in double until the last cast; i is the place in the contiguous N x C x H x W array. The stream of a parameter is
its index among the parameters (no buffers), in the model's order. Convolutions: bound sqrt(6 / (in * kh * kw));
fc.weight: 1 / sqrt(in); norms: weight 1, bias 0; fc.bias: 0. Images: stream 1000, bound sqrt(3). Label n:
lowbias32((1001 * 0x9E3779B1 + n) mod 2^32) mod classes. Weight decay is not applied to norms and biases.
"""

import json
import math
import pathlib

import numpy
import torch
import torchvision
from torch.nn import functional

OUT = pathlib.Path(__file__).resolve().parent / "reference"
MODELS = ["resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "wide_resnet50_2"]


def hashes(stream, count):
    x = (numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(stream * 0x9E3779B1 % 2**32)).astype(numpy.uint32)
    x ^= x >> numpy.uint32(16)
    x *= numpy.uint32(0x7FEB352D)
    x ^= x >> numpy.uint32(15)
    x *= numpy.uint32(0x846CA68B)
    x ^= x >> numpy.uint32(16)
    return x


def values(stream, shape, bound):
    flat = (hashes(stream, math.prod(shape)).astype(numpy.float64) / 2**32 - 0.5) * 2 * bound
    return torch.from_numpy(flat.astype(numpy.float32)).reshape(tuple(shape))


def write(name, rows):
    """One line a row: small, and a change shows in a diff."""
    lines = [f"{json.dumps(key)}: {json.dumps(row, separators=(',', ':'))}" for key, row in rows.items()]
    (OUT / name).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def numbers(tensor):
    return [float(v) for v in tensor.detach().double().flatten()]


def versions():
    return {"torch": torch.__version__, "torchvision": torchvision.__version__}


def torchvision_names():
    """Each entry of state_dict() in order, "name d0 d1 ...". Parameters and buffers, so that both can be counted."""
    rows = {"made_with": versions()}
    for name in MODELS:
        with torch.device("meta"):
            model = getattr(torchvision.models, name)()
        rows[name] = {"parameters": len(list(model.parameters())),
                      "elements": sum(p.numel() for p in model.parameters()),
                      "entries": [" ".join([key, *map(str, t.shape)]) for key, t in model.state_dict().items()]}
    write("torchvision_names.json", rows)


def closed_form_resnet18(classes):
    model = torchvision.models.resnet18(num_classes=classes)
    with torch.no_grad():
        for index, (name, p) in enumerate(model.named_parameters()):
            if p.dim() == 4:
                p.copy_(values(index, p.shape, math.sqrt(6 / math.prod(p.shape[1:]))))
            elif p.dim() == 2:
                p.copy_(values(index, p.shape, 1 / math.sqrt(p.shape[1])))
            else:
                p.fill_(0.0 if name.endswith("bias") else 1.0)
    return model


def resnet18_step(batch=8, size=64, classes=10, learning_rate=0.01):
    images = values(1000, (batch, 3, size, size), math.sqrt(3))
    labels = torch.from_numpy((hashes(1001, batch) % numpy.uint32(classes)).astype(numpy.int64))
    rows = {"made_with": versions(),
            "settings": {"batch": batch, "image_size": size, "classes": classes, "learning_rate": learning_rate,
                         "momentum": 0.9, "weight_decay": 1e-4, "labels": labels.tolist(),
                         "first_images": numbers(images.flatten()[:4])}}

    def two_steps(dtype):
        model = closed_form_resnet18(classes).to(dtype)
        decayed, others = [[p for p in model.parameters() if (p.dim() > 1) == big] for big in (True, False)]
        optimizer = torch.optim.SGD([{"params": decayed, "weight_decay": 1e-4}, {"params": others}],
                                    lr=learning_rate, momentum=0.9)
        losses, gradients, buffers = [], {}, {}
        for step in range(2):
            loss = functional.cross_entropy(model(images.to(dtype)), labels)
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            if step == 0:
                gradients = {n: p.grad.clone() for n, p in model.named_parameters()}
                buffers = {n: b.clone() for n, b in model.named_buffers() if b.dim() == 1}
            optimizer.step()
        return losses, gradients, buffers

    losses, gradients, buffers = two_steps(torch.float32)
    exact_losses, exact_gradients, _ = two_steps(torch.float64)
    rows["losses"] = losses
    rows["losses_in_double"] = exact_losses
    weights = dict(closed_form_resnet18(classes).named_parameters())
    # first_weights checks the closed formula; error, the L2 distance to the gradient in double over its norm, says
    # what roundings alone make of it.
    for name, g in gradients.items():
        exact = exact_gradients[name]
        rows[name] = {"norm": g.double().norm().item(), "sum": g.double().sum().item(), "first": numbers(g.flatten()[:4]),
                      "error": float(f"{((g.double() - exact).norm() / exact.norm()).item():.2e}"),
                      "first_weights": numbers(weights[name].flatten()[:2])}
    for name, b in buffers.items():
        rows[name] = {"norm": b.double().norm().item(), "first": numbers(b[:4])}
    write("resnet18_step.json", rows)


def optimizers():
    start = values(1, (8,), 1.0)
    gradients = [values(10 + step, (8,), 1.0) for step in range(3)]
    sgd, adam, adamw = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
    cases = {"sgd": (sgd, {"lr": 0.1}),
             "sgd_weight_decay": (sgd, {"lr": 0.1, "weight_decay": 0.05}),
             "sgd_momentum": (sgd, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.05}),
             "sgd_nesterov": (sgd, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.05, "nesterov": True}),
             "adam": (adam, {"lr": 0.01, "betas": [0.9, 0.999], "eps": 1e-8}),
             "adam_weight_decay": (adam, {"lr": 0.01, "betas": [0.8, 0.95], "eps": 1e-6, "weight_decay": 0.05}),
             "adamw": (adamw, {"lr": 0.01, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.05})}
    rows = {"made_with": versions(), "start": numbers(start), "gradients": [numbers(g) for g in gradients]}
    for name, (kind, settings) in cases.items():
        parameter = torch.nn.Parameter(start.clone())
        optimizer = kind([parameter], **settings)
        after = []
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
            after.append(numbers(parameter))
        rows[name] = {"settings": settings, "after": after}
    rows["clip_by_global_norm"] = clipping()
    rows["label_smoothing"] = label_smoothing()
    rows["schedules"] = schedules()
    write("optimizers.json", rows)


def clipping():
    """Two parameters of 5 and 3 elements, clipped together; the second limit does nothing."""
    rows = []
    for limit in (0.5, 100.0):
        parameters = [torch.nn.Parameter(torch.zeros(5)), torch.nn.Parameter(torch.zeros(3))]
        whole = values(10, (8,), 1.0)
        parameters[0].grad, parameters[1].grad = whole[:5].clone(), whole[5:].clone()
        norm = torch.nn.utils.clip_grad_norm_(parameters, limit)
        rows.append({"limit": limit, "norm": norm.item(), "before": numbers(whole),
                     "after": numbers(torch.cat([p.grad for p in parameters]))})
    return rows


def label_smoothing():
    logits, labels, rows = values(20, (4, 5), 2.0), torch.tensor([0, 3, 4, 3]), []
    for smoothing in (0.0, 0.1):
        leaf = logits.clone().requires_grad_()
        loss = functional.cross_entropy(leaf, labels, label_smoothing=smoothing)
        loss.backward()
        rows.append({"smoothing": smoothing, "logits": numbers(logits), "labels": labels.tolist(), "loss": loss.item(),
                     "gradient": numbers(leaf.grad)})
    return rows


def schedules(steps=20, warmup=5):
    """Learning rate of each step, base 1.0. Warm-up: (step + 1) / warmup, then the cosine over what is left."""
    from torch.optim import lr_scheduler

    def rates(make):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        schedule, found = make(optimizer), []
        for _ in range(steps):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        return found

    return {"cosine_with_warmup": {"steps": steps, "warmup": warmup, "rates": rates(
                lambda o: lr_scheduler.SequentialLR(o, [
                    lr_scheduler.LinearLR(o, start_factor=1 / warmup, total_iters=warmup - 1),
                    lr_scheduler.CosineAnnealingLR(o, T_max=steps - warmup)], milestones=[warmup]))},
            "step": {"steps": steps, "every": 6, "factor": 0.1,
                     "rates": rates(lambda o: lr_scheduler.StepLR(o, step_size=6, gamma=0.1))}}


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    OUT.mkdir(exist_ok=True)
    torchvision_names()
    resnet18_step()
    optimizers()


if __name__ == "__main__":
    main()
