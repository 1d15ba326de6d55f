"""
Training with torch_npu
=======================

A small network learns on the emulated device.

The script is an ordinary program for torch_npu. Run it with
``ascendref npu examples/09_torch_npu.py`` (extra ``npu``, see ``docs/install.md``), or with
``python`` on a machine that has an NPU.
"""

# sphinx_gallery_thumbnail_path = "_static/torch-npu.svg"

try:
    import torch
    import torch_npu  # noqa: F401
    from torch import nn
except ModuleNotFoundError as error:
    raise SystemExit(f"This example needs {error.name}: pip install 'ascendref[npu]'") from None


def main() -> None:
    """Print the loss before and after training."""
    torch.manual_seed(1)
    x = torch.randn(256, 16).npu()
    target = torch.sin(x).sum(1, keepdim=True)
    model = nn.Sequential(nn.Linear(16, 64), nn.PReLU(64), nn.Linear(64, 1)).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for step in range(200):
        optimizer.zero_grad()
        with torch.autocast("npu", torch.bfloat16):
            loss = nn.functional.smooth_l1_loss(model(x).float(), target)
        loss.backward()
        optimizer.step()
        if step in (0, 199):
            print(f"loss in step {step}: {loss.item():.4f}")


main()
