"""Executors: phase 2 of a call, from the checks to the task in a stream's queue."""

from functools import partial
from operator import index
from typing import Any, NoReturn, cast

from ..core.errors import AclError, fail, shown
from ..core.status import Status
from ..device.checker.hazards import HazardError
from ..device.handle import Handle
from ..device.memory.address_space import AddressSpace, Memory
from ..device.memory.copies import resolve
from ..device.memory.tensor import Format, Tensor, contiguous_strides
from ..device.scheduling.task import Kind, Task
from ..device.streams.stream import Stream
from .plan import Called, Plan, Shapes, Step, own_fields, refuse


class Executor(Handle):
    """One call of an operator that passed phase 1, to be queued by phase 2.

    Returned by the ``GetWorkspaceSize`` functions of `ascendref.aclnn`. It can be used for one
    phase 2, unless it is made repeatable. It refers to the tensors, which must not change until
    then.

    Attributes
    ----------
    workspace_size : int
        Bytes of workspace that phase 2 needs.
    steps : tuple of Step
        The kernels that the device launches, with the names of the tensors that they read and
        write.
    alive : bool
        False after it has been used or destroyed.

    Examples
    --------
    >>> from ascendref import aclnn
    >>> dev = ar.Device("Atlas A2")
    >>> x, g = dev.tensor(np.float32([-1, 0.1, 2])), dev.tensor(np.ones(3, np.float16))
    >>> size, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(
    ...     g, x, 0.5, dev.empty(3, "float32")
    ... )
    >>> executor
    <executor of aclnnHardshrinkBackward, ready, 512 bytes of workspace>
    >>> for step in executor.steps:
    ...     print(step.kernel, *step.reads, "->", *step.writes)
    Cast gradOutput -> gradOutput.cast
    HardShrinkGrad gradOutput.cast self -> gradInput
    """

    __slots__ = (
        "__weakref__", "_memories", "_plan", "_repeatable", "_space", "_starts", "_state",
        "_tensors",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        space: AddressSpace,
        tensors: tuple[Tensor, ...],
        memories: tuple[Memory | None, ...],
    ) -> None:
        self._plan = plan
        self._space = space
        self._tensors = tensors
        self._memories = memories
        #: bytes of memory before the origin of each tensor's offset; None for the plan's
        self._starts: tuple[int, ...] | None = None
        self._repeatable = False
        self._state = "ready"

    @property
    def workspace_size(self) -> int:
        """Bytes of workspace that phase 2 needs."""
        return self._plan.workspace

    @property
    def steps(self) -> tuple[Step, ...]:
        """The kernels that the device launches for it."""
        return self._plan.steps

    @property
    def alive(self) -> bool:
        """Whether phase 2 can use it."""
        return self._state == "ready"

    @property
    def operator(self) -> Called:
        """The operator of the call."""
        return self._plan.operator

    def __repr__(self) -> str:
        state = f"repeatable, {self._state}" if self._repeatable else self._state
        return (
            f"<executor of {self._plan.operator.api}, {state}, {self._plan.workspace} bytes of"
            " workspace>"
        )

    def set_repeatable(self) -> None:
        """Allow any number of runs until `destroy` is called.

        Raises
        ------
        AclError
            561103 if it has already been used or destroyed.

        Examples
        --------
        >>> from ascendref import aclnn
        >>> dev = ar.Device("Atlas A2")
        >>> x, out = dev.tensor(np.float16([0.25, 0.5])), dev.empty(2, "float16")
        >>> size, executor = aclnn.aclnnLogitGradGetWorkspaceSize(x, x, -1.0, out)
        >>> executor.set_repeatable()
        >>> workspace = dev.malloc(size)
        >>> for _ in range(3):
        ...     aclnn.aclnnLogitGrad(workspace, size, executor, None)
        >>> dev.synchronize()
        >>> executor.destroy()
        """
        self._space.device.check_process()
        if self._state == "ready":
            self._repeatable = True
            return
        self._refuse_state("set_repeatable")

    def set_tensor_address(self, tensor: Tensor, memory: Memory | int) -> None:
        """Bind a tensor of the call to other memory; its description stays the same.

        Work that is already queued still uses the previous memory.

        Parameters
        ----------
        tensor : Tensor
            One of the tensors of phase 1; its ``memory`` changes.
        memory : Memory or int
            Memory of the same device, or an address inside it.

        Raises
        ------
        AclError
            561103 if an argument is None or the executor has been used or destroyed; 161002 if the
            tensor is not part of the call or does not fit the memory; 107000 if the memory has been
            freed or is not the device's. Nothing changes then. Phase 2 checks whether tensors
            overlap.

        Examples
        --------
        >>> from ascendref import aclnn
        >>> dev = ar.Device("Atlas A2")
        >>> g, x = dev.tensor(np.float32([1])), dev.tensor(np.float32([0.5]))
        >>> out, other = dev.empty(1, "float32"), dev.malloc(4)
        >>> _, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(g, x, 0.1, out)
        >>> executor.set_tensor_address(out, other)
        >>> out.memory is other
        True
        """
        self._space.device.check_process()
        for name, value in (("tensor", tensor), ("memory", memory)):
            if value is None:
                fail(Status.ACLNN_ERR_INNER_NULLPTR, f"{name} is None; it must be given")
        if self._state != "ready":
            self._refuse_state("set_tensor_address")
        found = resolve(self._space, "memory", memory)
        if all(own is not tensor for own in self._tensors):
            refuse(f"tensor is {shown(tensor)}, which is not an argument of {self!r}")
        start = 0 if isinstance(memory, Memory) else index(memory) - found.address
        moved = Tensor(
            found.address + start, tensor.shape, tensor.data_type, tensor.strides, tensor.offset
        )
        moved.check("tensor")
        if found.pinned:
            refuse(f"memory is {found!r} on the host; device memory is expected")
        memories = tuple(
            [
                found if own is tensor else before
                for own, before in zip(self._tensors, self._memories, strict=True)
            ]
        )
        self._starts = tuple([start if own is tensor else own.start for own in self._tensors])
        self._memories = memories
        tensor.memory, tensor.start = found, start

    def destroy(self) -> None:
        """Destroy the executor; work that it queued still runs.

        Destroying it again, or after phase 2 has used it, does nothing.

        Examples
        --------
        >>> from ascendref import aclnn
        >>> x = ar.Device("Atlas A2").tensor(np.float32([1]))
        >>> _, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(x, x, 0.5, x)
        >>> executor.destroy()
        >>> executor
        <executor of aclnnHardshrinkBackward, destroyed, 0 bytes of workspace>
        """
        self._space.device.check_process()
        self._state = "destroyed"

    def launch(self, operator: Called, workspace: Any, workspace_size: Any, stream: Any) -> None:
        """Check the arguments of phase 2, queue the work and return."""
        self._space.device.check_process()
        plan = self._plan
        if plan.operator.api != operator.api:
            refuse(f"executor is {self!r}; one of {operator.api} is expected")
        # no call comes between the test and the assignment, so no other thread can use the executor
        # in between (see `device.lock_free`)
        if self._state != "ready":
            self._refuse_state(operator.api)
        if not self._repeatable:
            self._state = "used"
        try:
            self._queue(workspace, workspace_size, stream)
        except AclError as error:
            # a generated operator consumes the executor after its checks, a composed one before
            # them; after a hazard nothing was queued
            kept = operator.is_generated or isinstance(error, HazardError)
            if kept and self._state == "used":
                self._state = "ready"
            raise

    def _queue(self, workspace: Any, workspace_size: Any, stream: Any) -> None:
        memory, start = self._check_workspace(workspace, workspace_size)
        if not (stream is None or isinstance(stream, Stream)):
            fail(
                Status.ACL_ERROR_RT_INVALID_HANDLE,
                f"stream is a {type(stream).__name__}; a Stream or None is expected",
            )
        device = self._space.device
        queue = device.own_stream(stream)
        plan = self._current_plan()
        if plan.compute is None:
            return
        # what is read or written has elements, and thus memory
        memories = cast("tuple[Memory, ...]", self._memories)
        reads = tuple([(memories[k].shadow, span) for k, span in plan.reads])
        writes = [(memories[k].shadow, span) for k, span in plan.writes]
        if memory is not None:
            scratch = plan.scratch._replace(start=start) if start else plan.scratch
            writes.append((memory.shadow, scratch))
        run = partial(plan.run, memories, memory, start)
        label = plan.label or plan.operator.api
        if not plan.finds_shapes:
            small = plan.is_small
            task = Task(queue, Kind.KERNEL, label, run, reads, tuple(writes), is_small=small)
            device.scheduler.submit(task)
            for k, shape in plan.in_nz.items():
                self._tensors[k].format = Format.FRACTAL_NZ
                self._tensors[k].storage_shape = shape
            return
        shapes: Shapes = {}
        device.launch(queue, lambda: shapes.update(run() or {}), reads, tuple(writes), label)
        cast("Stream", queue).synchronize()
        for k, shape in shapes.items():
            tensor = self._tensors[k]
            tensor.shape, tensor.strides = shape, contiguous_strides(shape)

    def _check_workspace(self, workspace: Any, workspace_size: Any) -> tuple[Memory | None, int]:
        """Return the memory that holds the workspace, and the offset of its first byte."""
        plan = self._plan
        try:
            size = index(workspace_size)
        except Exception:  # of any class, raised by the object's __index__
            refuse(f"workspaceSize is {shown(workspace_size)}; it must be an integer ≥ 0")
        if size < 0:
            refuse(f"workspaceSize is {shown(size)}; it must be an integer ≥ 0")
        if size > 0 and workspace is None:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"workspace is None, but workspaceSize is {shown(size)}; allocate it with"
                " Device.malloc(workspaceSize)",
            )
        if size < plan.workspace:
            refuse(
                f"workspaceSize is {size}; {plan.operator.api} needs {plan.workspace} bytes, as its"
                " GetWorkspaceSize said"
            )
        if size == 0:
            return None, 0
        if not isinstance(workspace, Memory | int):
            refuse(
                f"workspace is a {type(workspace).__name__}; device memory (Device.malloc) is"
                " expected"
            )
        try:
            memory = resolve(self._space, "workspace", workspace)
        except AclError as error:
            refuse(error.message, error)
        start = 0 if isinstance(workspace, Memory) else workspace - memory.address
        if memory.pinned:
            refuse(f"workspace is {memory!r} on the host; device memory is expected")
        if size > memory.room(start):
            refuse(
                f"workspaceSize is {shown(size)}, but workspace has {memory.room(start)} bytes"
                f" in {memory!r}"
            )
        return (memory, start) if plan.workspace else (None, 0)

    def _current_plan(self) -> Plan:
        """Check that the tensors have not changed since phase 1, and return the plan.

        If one has been bound to other memory, phase 1 is repeated: they may overlap now.
        """
        plan, starts = self._plan, self._starts
        for k, tensor in enumerate(self._tensors):
            memory, before = self._memories[k], plan.fields[k]
            if starts is not None:
                before = (*before[:-1], starts[k])
            living = memory is None or memory.alive
            if tensor.memory is not memory or not living or own_fields(tensor) != before:
                freed = tensor.memory is memory and not living
                what = (
                    f"lies in {memory!r}"
                    if freed
                    else f"is now {tensor!r} with strides {tensor.strides} and offset"
                    f" {tensor.offset}, {tensor.start} bytes into its memory"
                )
                problem = (
                    f"{plan.names[k]} {what}; tensors must not change after"
                    " phase 1 (set_tensor_address changes their memory)"
                )
                checker = self._space.device.checker
                if freed and memory is not None and checker is not None:
                    checker.find_freed(
                        Status.ACLNN_ERR_PARAM_INVALID, "use-after-free", problem, memory.shadow
                    )
                refuse(problem)
        if starts is not None:
            self._plan = plan = plan.unbound.plan(self._tensors, self._space)[0]
            self._starts = None
        return plan

    def _refuse_state(self, call: str) -> NoReturn:
        fail(
            Status.ACLNN_ERR_INNER_NULLPTR,
            f"{call} was given {self!r}; an executor runs once, or until it is destroyed"
            " if set_repeatable was called before its first run",
        )
