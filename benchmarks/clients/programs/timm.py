"""Networks of timm."""

from functools import partial

import timm
import torch

from .huggingface import Step, training


def trained(name: str, side: int, device: str) -> Step:
    """Return a step of training a network, without random depths, with random images."""
    network = timm.create_model(name, num_classes=10, drop_path_rate=0.0)
    images, classes = torch.randn(4, 3, side, side), torch.randint(10, (4,))
    if device == "cpu-f64":
        network, images, device = network.double(), images.double(), "cpu"
    network, images, classes = (each.to(device) for each in (network, images, classes))
    return training(network, lambda net: torch.nn.functional.cross_entropy(net(images), classes))


CASES = {
    "timm: `efficientnet_b0`, 4 × 64 × 64": partial(trained, "efficientnet_b0", 64),
    "timm: `mobilenetv3_small_100`, 4 × 64 × 64": partial(trained, "mobilenetv3_small_100", 64),
    "timm: `swin_tiny`, 4 × 224 × 224": partial(trained, "swin_tiny_patch4_window7_224", 224),
}
