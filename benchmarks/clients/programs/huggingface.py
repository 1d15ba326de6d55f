"""Clients that share networks of transformers, and networks of diffusers."""

from collections.abc import Callable
from functools import partial
from tempfile import mkdtemp
from typing import Any

import torch
import transformers as hf

Step = Callable[[], list[Any]]
LLAMA = dict(vocab_size=1000, hidden_size=256, intermediate_size=688, num_hidden_layers=4)
LLAMA |= dict(num_attention_heads=8, num_key_value_heads=4)
VIT = dict(hidden_size=192, intermediate_size=768, num_hidden_layers=4, num_attention_heads=3)
VIT |= dict(image_size=64, patch_size=8, num_labels=10)
GENERATION = dict(max_new_tokens=16, min_new_tokens=16, pad_token_id=0, do_sample=False)
UNET: dict[str, Any] = dict(norm_num_groups=8, layers_per_block=1, cross_attention_dim=32)
UNET |= dict(block_out_channels=(32, 64), down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"))
UNET |= dict(up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))
STEPS: dict[str, Any] = dict(max_steps=4, save_steps=4, per_device_train_batch_size=4)
STEPS |= dict(logging_steps=1, report_to="none", disable_tqdm=True)


def model(device: str, **config: Any) -> Any:
    """Return a small Llama."""
    return hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA | config)).to(device)


def tokens(device: str, batch: int = 4, length: int = 64) -> Any:
    """Return random tokens."""
    return torch.randint(1000, (batch, length)).to(device)


def training(network: Any, loss_of: Callable[[Any], Any]) -> Step:
    """Return a step of AdamW, which returns the loss and the gradients."""
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, 1e-3)

    def step() -> list[Any]:
        optimizer.zero_grad()
        loss = loss_of(network)
        loss.backward()
        optimizer.step()
        return [loss.detach(), *(p.grad for p in parameters)]

    return step


def trained(network: Any) -> Step:
    """Return a step of training a Llama."""
    ids = tokens(network.device)
    return training(network, lambda net: net(input_ids=ids, labels=ids).loss)


def llama(device: str, attention: str = "sdpa") -> Step:
    """Return a step of training a Llama."""
    return trained(model(device, attn_implementation=attention))


def vit(device: str) -> Step:
    """Return a step of training a ViT."""
    network = hf.ViTForImageClassification(hf.ViTConfig(**VIT)).to(device)
    images, classes = torch.randn(8, 3, 64, 64).to(device), torch.randint(10, (8,)).to(device)
    return training(network, lambda net: net(pixel_values=images, labels=classes).loss)


def generated(device: str, **how: Any) -> Step:
    """Return a step that generates tokens, which are the results."""
    network, ids = model(device).eval(), tokens(device, 2, 16)
    return lambda: [network.generate(ids, attention_mask=torch.ones_like(ids), **GENERATION | how)]


def offloaded(device: str) -> Step:
    """Return a step that generates with keys and values that wait on the host."""
    if device == "npu":
        import torch_npu.contrib.transfer_to_npu  # noqa: F401  # transformers calls torch.cuda
    cache = "offloaded" if device == "npu" else None
    return generated(device, cache_implementation=cache)


def trainer(device: str) -> Step:
    """Return four steps of a Trainer."""
    data = [{"input_ids": ids, "labels": ids} for ids in tokens("cpu", 16, 32)]

    def step() -> list[Any]:
        torch.manual_seed(0)
        arguments = hf.TrainingArguments(mkdtemp(), use_cpu=device != "npu", **STEPS)
        run = hf.Trainer(model("cpu"), arguments, train_dataset=data)
        run.train()
        losses = [line["loss"] for line in run.state.log_history if "loss" in line]
        return [torch.tensor(losses), *run.model.parameters()]

    return step


def lora(device: str) -> Step:
    """Return a step of training adapters."""
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=8, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    return trained(get_peft_model(model("cpu"), config).to(device))


def accelerated(device: str) -> Step:
    """Return a loop over the data."""
    from accelerate import Accelerator

    how = dict(cpu=device != "npu", mixed_precision="bf16", gradient_accumulation_steps=2)
    accelerator, network = Accelerator(**how), model("cpu")
    optimizer = torch.optim.AdamW(network.parameters(), 1e-3)
    loader = torch.utils.data.DataLoader(tokens("cpu", 16, 32), batch_size=4)
    network, optimizer, loader = accelerator.prepare(network, optimizer, loader)

    def step() -> list[Any]:
        losses = []
        for ids in loader:
            with accelerator.accumulate(network):
                losses.append(network(input_ids=ids, labels=ids).loss)
                accelerator.backward(losses[-1])
                accelerator.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        return [torch.stack(losses).detach()]

    return step


def unet(device: str) -> Step:
    """Return a step of training a UNet."""
    from diffusers import UNet2DConditionModel

    network = UNet2DConditionModel(**UNET).to(device)
    noisy, noise = torch.randn(2, 2, 4, 16, 16).to(device)
    times, text = torch.tensor([10, 500]).to(device), torch.randn(2, 7, 32).to(device)
    return training(network, lambda net: (net(noisy, times, text).sample - noise).square().mean())


def compiled(device: str) -> Step:
    """Return a step of a compiled Llama."""
    network = model(device)
    network.forward = torch.compile(network.forward)
    return trained(network)


CASES = {
    "transformers: Llama, 4 layers of 256, 4 × 64 tokens: a training step": llama,
    "transformers: ViT, 4 layers of 192, 8 images of 64 × 64: a training step": vit,
    "transformers: 16 tokens for each of 2 prompts, the likeliest": generated,
    "transformers: 16 tokens for each of 2 prompts, by 3 beams": partial(generated, num_beams=3),
    'transformers: the likeliest, with `transfer_to_npu` and the cache "offloaded"': offloaded,
    "transformers: Trainer: 4 steps with a schedule, clipped gradients and a checkpoint": trainer,
    "transformers: Llama with `flex_attention`, refused": partial(
        llama, attention="flex_attention"
    ),
    "peft: LoRA of rank 8 on the Llama above: a training step": lora,
    "accelerate: `Accelerator` in BF16: 4 steps with accumulated, clipped gradients": accelerated,
    "diffusers: a UNet with cross-attention and `npu_geglu`: a training step": unet,
    "torch: Llama, compiled by inductor, refused": compiled,
}
