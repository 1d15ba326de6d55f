"""The Trainer of lightning, which has no accelerator for NPUs of its own."""

from typing import Any

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.accelerators import Accelerator, AcceleratorRegistry
from lightning.pytorch.strategies import SingleDeviceStrategy

from .huggingface import Step, model, tokens

QUIET = ("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary")


class Npu(Accelerator):  # type: ignore[misc]
    setup_device = staticmethod(lambda device: torch.npu.set_device(device))
    teardown = staticmethod(lambda: torch.npu.empty_cache())
    parse_devices = staticmethod(lambda devices: list(range(int(devices))))
    get_parallel_devices = staticmethod(lambda found: [torch.device("npu", n) for n in found])
    auto_device_count = staticmethod(lambda: torch.npu.device_count())
    is_available = staticmethod(lambda: torch.npu.is_available())
    name = staticmethod(lambda: "npu")


AcceleratorRegistry.register("npu", Npu)


class Llama(LightningModule):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.model, self.losses = model("cpu"), list[Any]()

    def training_step(self, ids: Any, number: int) -> Any:
        self.losses.append(self.model(input_ids=ids, labels=ids).loss)
        return self.losses[-1]

    def configure_optimizers(self) -> Any:
        return torch.optim.AdamW(self.parameters(), 1e-3)


def trainer(device: str) -> Step:
    """Return four steps of a Trainer."""
    loader = torch.utils.data.DataLoader(tokens("cpu", 16, 32), batch_size=4)
    how = dict(accelerator=device, devices=1, max_steps=4, gradient_clip_val=1.0)
    how |= dict.fromkeys(QUIET, False)

    def step() -> list[Any]:
        torch.manual_seed(0)
        network = Llama()
        Trainer(strategy=SingleDeviceStrategy(device), **how).fit(network, loader)
        return [torch.stack(network.losses).detach(), *network.parameters()]

    return step


CASES = {"lightning: `Trainer` with an accelerator: 4 steps with clipped gradients": trainer}
