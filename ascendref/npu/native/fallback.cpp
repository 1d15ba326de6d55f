// The fallback's kernel: runs an operator of PyTorch on the CPU, with tensors of the emulated device.
//
// The memory of the emulated device is memory of this process, at other addresses. A call
//
// 1. waits for the current stream, unless nothing was queued since this thread last did that;
// 2. replaces tensors of the device by tensors of the CPU that share their memory, with views,
//    strides and overlaps;
// 3. calls the CPU's kernel; if that refuses the arguments' types, with copies in wider types, whose
//    results are rounded once. What it allocates meanwhile is memory of the device, by torch_npu's
//    caching allocator;
// 4. replaces the results by tensors of the device: arguments and views of arguments by the
//    originals and their views, new tensors by tensors that take over the memory. Only what the
//    CPU's kernel allocated elsewhere, such as on threads of its own, is copied.
//
// On a captured stream, a call does none of that: Python records it (`capture.py`).
//
// Python is called for what happens rarely, to wait and to find memory, and on every call if there
// is a checker, which hears which bytes are read and written.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/_cdist_forward.h>
#include <ATen/ops/_pdist_forward.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/softmax.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/SmallVector.h>
#include <torch_npu/csrc/aten/NPUGeneratorImpl.h>
#include <torch_npu/csrc/core/NPUStorageImpl.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

using at::IValue;
using at::Storage;
using at::Tensor;
using c10::DataPtr;
using c10::Device;
using c10::StorageImpl;
using torch::jit::Stack;

constexpr auto NPU = c10::DeviceType::PrivateUse1;
constexpr auto CPU = c10::DispatchKey::CPU;
constexpr auto CPU_KEYS = c10::DispatchKeySet(CPU);
constexpr auto NPU_KEYS = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
// the key of the kernel for other copies between devices, which is written in Python
constexpr auto COPY_KEYS = c10::DispatchKeySet(c10::DispatchKey::PrivateUse3);
// the key of the kernel for captured streams, which is written in Python
constexpr auto CAPTURE_KEYS = c10::DispatchKeySet(c10::DispatchKey::DeferredInit);
// the key under which Python calls `run` for any operator
constexpr auto HOST = c10::DispatchKey::TESTING_ONLY_GenericWrapper;
// numbers of a generator that a call takes
constexpr uint64_t STEP = 4;

// Functions in Python. Those that may fail return nullptr, or a message that lives until the
// thread's next call; an empty one is an interrupt.
struct Hooks {
    // find `nbytes` of a device's memory in the process, and mark them as accessed
    const char *(*locate)(uint64_t address, uint64_t nbytes, uint64_t *found);
    // whether a stream is captured
    int32_t (*captured)(int32_t device, int64_t stream);
    // note where the next recorded call finds its seed and its offset, and what adds to the offset
    void (*draw)(uint64_t seed, uint64_t offset, uint64_t within);
    // wait for a stream, which is no wait of the program's
    const char *(*wait)(int32_t device, int64_t stream);
    // tell the checker what a call on a stream accesses, and whether the call waits for the stream
    const char *(*tell)(int32_t device, int64_t stream, int32_t kernel, const int64_t *accesses,
                        int64_t count, int32_t waits);
    // have the main thread raise KeyboardInterrupt when it is in Python again
    void (*interrupt)();
    // changes whenever work is queued on any stream; 0 meanwhile, and when a capture begins
    const volatile uint64_t *queued;
    // whether devices have a checker
    int32_t checked;
};
Hooks hooks;

void check(const char *message)
{
    if (!message) return;
    if (!*message) hooks.interrupt();
    TORCH_CHECK(false, *message ? message : "interrupted");
}

// ---- order

// What this thread waited for on a stream: all that was queued when the counter had a value.
struct Waited {
    Device device;
    c10::StreamId stream;
    uint64_t queued;
};
thread_local std::vector<Waited> waits;

Waited *find_wait(Device device, c10::StreamId stream)
{
    for (auto &each : waits)
        if (each.device == device && each.stream == stream) return &each;
    return nullptr;
}

// Whether nothing was queued since this thread waited for a stream, nor does a capture record.
bool is_idle(Device device, c10::StreamId stream)
{
    auto queued = *hooks.queued;
    const auto *last = find_wait(device, stream);
    return last && queued && last->queued == queued;
}

void wait(Device device, c10::StreamId stream)
{
    auto queued = *hooks.queued;
    check(hooks.wait(device.index(), stream));
    if (auto *last = find_wait(device, stream)) last->queued = queued;
    else waits.push_back({device, stream, queued});
}

// Wait again, before a kernel on a stream writes new memory at once: another thread may have freed it
// since this one waited, with work in the queue that uses it.
void wait_for_others(Device device, c10::StreamId stream)
{
    if (!is_idle(device, stream)) wait(device, stream);
}

// ---- the memory of devices

struct Memory {
    uint64_t stop;
    char *host;
};
// allocations by their first address, from the first access on
std::map<uint64_t, Memory> memories;
std::shared_mutex memories_mutex;

char *locate(const void *pointer, size_t nbytes)
{
    auto address = reinterpret_cast<uint64_t>(pointer);
    {
        std::shared_lock lock(memories_mutex);
        auto found = memories.upper_bound(address);
        if (found != memories.begin()) {
            --found;
            if (address + nbytes <= found->second.stop)
                return found->second.host + (address - found->first);
        }
    }
    uint64_t host = 0;
    check(hooks.locate(address, nbytes, &host));
    return reinterpret_cast<char *>(host);
}

// Memory of devices that kernels of the CPU have allocated, by its place in the process. Kernels may
// free memory by this place alone (`Allocator::raw_deallocate`).
std::unordered_map<void *, DataPtr> *allocated;
std::mutex allocated_mutex;

// Return memory that a kernel has allocated, which is no longer the kernel's; none if it is the host's.
DataPtr take_allocated(void *host)
{
    std::lock_guard lock(allocated_mutex);
    auto found = allocated->find(host);
    if (found == allocated->end()) return {};
    auto memory = std::move(found->second);
    allocated->erase(found);
    return memory;
}

void free_allocated(void *host) { take_allocated(host); }

// the device and the stream for which this thread runs a kernel of the CPU
thread_local std::optional<std::pair<Device, c10::StreamId>> in_kernel;

void free_raw(void *host);

// bytes up to which memory is the host's: mostly that of a number beside tensors, not of a result
constexpr size_t NUMBER = sizeof(double);

class Allocator final : public c10::Allocator {
  public:
    c10::Allocator *host = c10::GetCPUAllocator();
    c10::Allocator *device = c10::GetAllocator(NPU);

    DataPtr allocate(size_t nbytes) override
    {
        if (!in_kernel || nbytes <= NUMBER) return host->allocate(nbytes);
        auto memory = device->allocate(nbytes);
        wait_for_others(in_kernel->first, in_kernel->second);
        void *bytes = locate(memory.get(), nbytes);
        std::lock_guard lock(allocated_mutex);
        (*allocated)[bytes] = std::move(memory);
        return {bytes, bytes, &free_allocated, c10::kCPU};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &free_raw; }
    bool is_simple_data_ptr(const DataPtr &data) const override
    {
        return host->is_simple_data_ptr(data);
    }
    void copy_data(void *target, const void *source, size_t nbytes) const override
    {
        host->copy_data(target, source, nbytes);
    }
};
Allocator *allocator; // lives as long as the process, as what it allocated may

void free_raw(void *host)
{
    if (!take_allocated(host)) allocator->host->raw_deleter()(host);
}

// ---- arguments

// What the checker hears of a tensor: the number of the argument, whether it is written, address
// and size of an element, then the number of dimensions, their sizes and their strides.
using Accesses = c10::SmallVector<int64_t, 64>;

void add_access(Accesses &accesses, int64_t argument, bool written, const Tensor &tensor)
{
    if (!tensor.numel()) return;
    accesses.append({argument, written, reinterpret_cast<int64_t>(tensor.const_data_ptr()),
                     static_cast<int64_t>(tensor.itemsize())});
    if (tensor.is_contiguous()) {
        accesses.append({1, tensor.numel(), 1});
        return;
    }
    accesses.push_back(tensor.dim());
    accesses.append(tensor.sizes().begin(), tensor.sizes().end());
    accesses.append(tensor.strides().begin(), tensor.strides().end());
}

bool is_on_device(const Tensor &tensor)
{
    return tensor.defined() && tensor.device().type() == NPU;
}

// Whether one tensor, of the host, and another one, of a device, have the same type and layout.
bool is_copy_of_bytes(const Tensor &target, const Tensor &source)
{
    return target.device().type() != source.device().type() && target.dtype() == source.dtype() &&
           target.sizes() == source.sizes() && target.is_contiguous() && source.is_contiguous() &&
           !(target.is_conj() || target.is_neg() || source.is_conj() || source.is_neg());
}

// Call a function with every tensor of an argument.
template <class Function> void for_tensors(const IValue &value, Function function)
{
    if (value.isTensor()) {
        function(value.toTensor());
    } else if (value.isTensorList()) {
        for (const Tensor &tensor : value.toTensorList()) function(tensor);
    } else if (value.isList() && !value.isIntList() && !value.isDoubleList() && !value.isBoolList()) {
        for (const IValue &member : value.toListRef())
            if (member.isTensor()) function(member.toTensor());
    }
}

// Return an argument or a result with every tensor replaced.
template <class Function> IValue with_tensors(const IValue &value, Function function)
{
    if (value.isTensor()) return function(value.toTensor());
    if (value.isTensorList()) {
        c10::List<Tensor> made;
        for (const Tensor &tensor : value.toTensorList()) made.push_back(function(tensor));
        return made;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<Tensor>> made;
        for (const IValue &member : value.toListRef())
            made.push_back(member.isTensor() ? std::optional(function(member.toTensor()))
                                             : std::nullopt);
        return made;
    }
    return value;
}

// What determines what an operator returns besides shapes: nothing, data, or data if an index is a
// mask. A call that needs data for that waits for its stream, on every device.
enum ShapeFrom : int32_t { SHAPES, DATA, MASKS };

bool has_mask(const IValue &argument)
{
    bool found = false;
    if (argument.isList())
        for_tensors(argument, [&](const Tensor &tensor) {
            auto type = tensor.defined() ? tensor.scalar_type() : at::kLong;
            found = found || type == at::kBool || type == at::kByte;
        });
    return found;
}

// ---- types

// Operators whose kernels for the CPU round F16 and BF16 between steps: errors of more than an ulp,
// which results that are computed in F32 and rounded once do not have.
const std::unordered_set<std::string_view> ROUNDING = {
    "aten::_adaptive_avg_pool2d_backward",
    "aten::_adaptive_avg_pool3d",
    "aten::_adaptive_avg_pool3d_backward",
    "aten::_batch_norm_with_update",
    "aten::_conv_depthwise2d",
    "aten::_embedding_bag",
    "aten::_embedding_bag_forward_only",
    "aten::_foreach_pow",
    "aten::_foreach_pow_",
    "aten::_log_softmax",
    "aten::_log_softmax_backward_data",
    "aten::_native_batch_norm_legit",
    "aten::_slow_conv2d_backward",
    "aten::_slow_conv2d_forward",
    "aten::_softmax",
    "aten::_softmax_backward_data",
    "aten::_trilinear",
    "aten::addbmm",
    "aten::addbmm_",
    "aten::addr",
    "aten::addr_",
    "aten::avg_pool2d_backward",
    "aten::binary_cross_entropy",
    "aten::convolution",
    "aten::convolution_backward",
    "aten::convolution_backward_overrideable",
    "aten::convolution_overrideable",
    "aten::cumprod",
    "aten::cumprod_",
    "aten::embedding_dense_backward",
    "aten::fractional_max_pool2d_backward",
    "aten::glu_backward",
    "aten::grid_sampler_2d",
    "aten::grid_sampler_2d_backward",
    "aten::index_reduce",
    "aten::index_reduce_",
    "aten::linalg_cross",
    "aten::max_pool2d_with_indices_backward",
    "aten::max_pool3d_with_indices_backward",
    "aten::native_batch_norm",
    "aten::native_batch_norm_backward",
    "aten::native_group_norm_backward",
    "aten::native_layer_norm_backward",
    "aten::polygamma",
    "aten::pow",
    "aten::pow_",
    "aten::prod",
    "aten::reflection_pad2d_backward",
    "aten::reflection_pad3d_backward",
    "aten::replication_pad2d_backward",
    "aten::replication_pad3d_backward",
    "aten::slow_conv3d_forward",
    "aten::slow_conv_dilated2d",
    "aten::slow_conv_dilated3d",
    "aten::slow_conv_transpose2d",
    "aten::slow_conv_transpose3d",
    "aten::soft_margin_loss",
    "aten::tanh_backward",
    "aten::upsample_bicubic2d",
    "aten::upsample_linear1d",
    "aten::upsample_trilinear3d",
};
// Products whose kernels add up F16 one by one: with larger errors than F32, and in many times as long.
const std::unordered_set<std::string_view> PRODUCTS = {
    "aten::_addmm_activation",
    "aten::addmm",
    "aten::addmm_",
    "aten::baddbmm",
    "aten::baddbmm_",
    "aten::bmm",
    "aten::mm",
};
// Whether an argument has kernels round between steps: a factor of a term, or elements that are added
// to one another.
bool is_rounding(const std::string &argument, const IValue &value)
{
    if (argument == "alpha") return value.isScalar() && !value.toScalar().equal(1);
    return argument == "accumulate" && value.isBool() && value.toBool();
}

// Replace the largest differences that a gradient in wider types is given: no difference is equal to
// them after they were rounded.
void restore_distances(std::string_view name, Stack &given)
{
    const auto wide = [&](size_t k) { return given[k].toTensor().to(at::kFloat); };
    const auto is_largest = [&](size_t k) { return std::isinf(given[k].toDouble()); };
    if (name == "aten::_cdist_backward" && is_largest(3))
        given[4] = at::_cdist_forward(wide(1), wide(2), given[3].toDouble(), std::nullopt);
    else if (name == "aten::_pdist_backward" && is_largest(2))
        given[3] = at::_pdist_forward(wide(1), given[2].toDouble());
}

// operators whose integers are computed as floats
const std::unordered_set<std::string_view> COUNTING = {"aten::histc"};

at::ScalarType wider(at::ScalarType type, bool counting)
{
    if (type == at::kHalf || type == at::kBFloat16) return at::kFloat;
    if (counting && c10::isIntegralType(type, false)) return at::kDouble;
    return type == at::kInt ? at::kLong : type;
}

// arguments that name a type: that of a softmax's result is not rounded, and that of what a softmax
// was of, whose type the gradient gets
constexpr std::string_view HALF_TO_FLOAT = "half_to_float", INPUT_TYPE = "input_dtype";
// the type to which arguments are cast first, and that of the result
constexpr std::string_view TYPE = "dtype";

bool is_index(const std::string &argument)
{
    return argument.find("ind") == 0 || argument == "target";
}

// A call of the CPU's kernel with copies in wider types.
class Wide {
  public:
    Wide(const c10::OperatorHandle &op, c10::DispatchKeySet keys, Stack given, bool counting)
        : op(op), keys(keys), given(std::move(given)), counting(counting)
    {
    }

    // Whether tensors that are no indices have several types, which copies would make equal.
    bool differ() const
    {
        std::unordered_set<at::ScalarType> types, widened;
        for (size_t k = 0; k < given.size(); k++)
            for_tensors(given[k], [&](const Tensor &tensor) {
                if (!tensor.defined() || !tensor.dim()) return;
                if (is_index(op.schema().arguments()[k].name())) return;
                types.insert(tensor.scalar_type());
                widened.insert(wider(tensor.scalar_type(), counting));
            });
        return widened.size() < types.size();
    }

    // Call the kernel with copies of narrow tensors, then round what it wrote to their types, and its
    // results to types that are known, or to that of the first tensor, or the one that integers of
    // several types promote to.
    void run(Stack *stack, const std::vector<at::ScalarType> &types)
    {
        for (size_t k = 0; k < given.size(); k++)
            for_tensors(given[k], [&](const Tensor &tensor) {
                if (!tensor.defined()) return;
                const bool promotes = tensor.dim() && !is_index(op.schema().arguments()[k].name());
                if (!first) first = tensor.scalar_type();
                else if (c10::isIntegralType(*first, true) && promotes)
                    first = c10::promoteTypes(*first, tensor.scalar_type());
            });
        for (size_t k = 0; k < given.size(); k++) {
            const auto &argument = op.schema().arguments()[k];
            const bool out = argument.is_out();
            stack->push_back(with_tensors(given[k], [&](const Tensor &tensor) {
                // codes and pivots of a matrix stay INT32
                return out && tensor.scalar_type() == at::kInt && *first != at::kInt ? tensor
                                                                                      : copy(tensor);
            }));
            if (argument.name() == HALF_TO_FLOAT && stack->back().toBool()) {
                stack->back() = false;
                first = at::kFloat;
            } else if (argument.name() == INPUT_TYPE) {
                first = stack->back().toScalarType();
                stack->back() = wider(*first, counting);
            } else if (argument.name() == TYPE && !stack->back().isNone()) {
                const auto type = stack->back().toScalarType();
                if (type == first) stack->back() = wider(type, counting);
                first = type;
            }
        }
        op.redispatchBoxed(keys, stack);
        const auto &arguments = op.schema().arguments();
        for (size_t k = 0; k < given.size(); k++)
            if (arguments[k].alias_info() && arguments[k].alias_info()->isWrite())
                for_tensors(given[k], [&](const Tensor &tensor) {
                    auto wide = copy(tensor);
                    if (!wide.is_same(tensor)) tensor.resize_(wide.sizes()).copy_(wide);
                });
        auto results = op.schema().returns().size();
        for (auto *value = stack->data() + (stack->size() - results); results; results--, value++)
            *value = with_tensors(*value, [&](const Tensor &tensor) {
                const bool known = tensor.defined() && types.size() >= results;
                return known ? tensor.to(types[types.size() - results]) : narrow(tensor);
            });
    }

  private:
    Tensor copy(const Tensor &tensor)
    {
        if (!tensor.defined()) return tensor;
        auto type = wider(tensor.scalar_type(), counting);
        if (type == tensor.scalar_type()) return tensor;
        for (const auto &[original, wide] : copies)
            if (original.is_same(tensor)) return wide;
        copies.emplace_back(tensor, tensor.to(type));
        if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
            copies.back().second.unsafeGetTensorImpl()->set_wrapped_number(true);
        return copies.back().second;
    }

    Tensor narrow(const Tensor &tensor) const
    {
        for (const auto &[original, wide] : copies)
            if (wide.is_same(tensor)) return original;
        const bool rounds = tensor.defined() && tensor.scalar_type() != *first &&
                            tensor.scalar_type() == wider(*first, counting);
        return rounds ? tensor.to(*first) : tensor;
    }

    const c10::OperatorHandle &op;
    c10::DispatchKeySet keys;
    const Stack given;
    bool counting;
    std::optional<at::ScalarType> first;
    std::vector<std::pair<Tensor, Tensor>> copies;
};

// Run the kernel of some dispatch keys. Devices take types that it refuses, and round sums once.
void run(const c10::OperatorHandle &op, c10::DispatchKeySet keys, Stack *stack)
{
    const auto count = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    const bool counting = COUNTING.count(op.schema().name());
    bool narrow = false, half = false;
    const auto given = stack->end() - count;
    for (auto argument = given; argument != stack->end(); ++argument)
        for_tensors(*argument, [&](const Tensor &tensor) {
            auto type = tensor.defined() ? tensor.scalar_type() : at::kBool;
            narrow = narrow || wider(type, counting) != type;
            half = half || type == at::kHalf;
        });
    const auto name_of = [&](std::ptrdiff_t k) {
        return op.schema().arguments()[static_cast<size_t>(k)].name();
    };
    for (std::ptrdiff_t k = 0; k < count && !narrow; k++)
        if (name_of(k) == INPUT_TYPE) {
            auto type = given[k].toScalarType();
            narrow = wider(type, counting) != type;
        }
    if (!narrow) return op.redispatchBoxed(keys, stack);
    bool rounds = ROUNDING.count(op.schema().name()) || (half && PRODUCTS.count(op.schema().name()));
    for (std::ptrdiff_t k = 0; k < count && !rounds; k++)
        rounds = is_rounding(name_of(k), given[k]);
    Stack arguments(given, stack->end());
    restore_distances(op.schema().name(), arguments);
    Wide wide(op, keys, std::move(arguments), counting);
    const auto rest = stack->size() - static_cast<size_t>(count);
    std::exception_ptr refused; // with the types of the program
    std::vector<at::ScalarType> types; // of the results of gradients whose arguments have several
    const std::string_view name = op.schema().name();
    if (!rounds || wide.differ()) {
        try {
            op.redispatchBoxed(keys, stack);
            if (!rounds || name.substr(name.rfind('_')) != "_backward") return;
            for (auto value = stack->begin() + static_cast<std::ptrdiff_t>(rest);
                 value != stack->end(); ++value) {
                const auto &result = value->toTensor();
                types.push_back(result.defined() ? result.scalar_type() : at::kFloat);
            }
        } catch (const c10::NotImplementedError &) {
            refused = std::current_exception();
        } catch (const std::exception &) {
            if (wide.differ()) throw;
            refused = std::current_exception();
        }
    }
    stack->resize(rest);
    try {
        wide.run(stack, types);
    } catch (const std::exception &) {
        if (refused) std::rethrow_exception(refused);
        throw;
    }
}

// The kernel of `_safe_softmax`. PyTorch's compares every element with minus infinity, to find rows of
// nothing else, and takes longer for that than for the softmax, which is NaN in these rows.
Tensor safe_softmax(const Tensor &x, int64_t dim, std::optional<at::ScalarType> type)
{
    auto found = at::softmax(x, dim, type);
    if (!found.numel()) return found;
    const auto first = x.dim() ? found.select(dim, 0) : found;
    if (!first.isnan().any().item<bool>()) return found;
    return found.masked_fill_(x.amax(dim, true).eq(-INFINITY), 0);
}

// The kernel for tensors of the CPU and, for the shapes of results, for those without data.
void run_boxed(const c10::OperatorHandle &op, c10::DispatchKeySet keys, Stack *stack)
{
    c10::impl::ExcludeDispatchKeyGuard guard(HOST);
    run(op, keys.remove(HOST), stack);
}

// ---- a kernel

// An operator's kernel for the device.
class Kernel final : public c10::OperatorKernel {
  public:
    Kernel(int32_t number, const c10::OperatorHandle &op, bool same_device, ShapeFrom shape_from)
        : number(number), same_device(same_device), shape_from(shape_from)
    {
        const auto &arguments = op.schema().arguments();
        count = arguments.size();
        for (size_t k = 0; k < count; k++) {
            const auto *alias = arguments[k].alias_info();
            written.push_back(alias && alias->isWrite());
            outs.push_back(arguments[k].is_out());
            if (arguments[k].name() == "generator") generator = static_cast<int>(k);
            if (arguments[k].name() == "pin_memory") pin_memory = static_cast<int>(k);
        }
        is_seeded = generator < 0 && op.hasTag(at::Tag::nondeterministic_seeded);
        for_each = op.operator_name().name.rfind("aten::_foreach_", 0) == 0;
        if (op.operator_name().name == "aten::_safe_softmax")
            own = c10::KernelFunction::makeFromUnboxedRuntimeFunction(&safe_softmax);
        if (op.operator_name().name == "aten::copy_")
            host_copy = op.getComputedKernelForDispatchKey(c10::DispatchKey::PrivateUse1);
    }

    void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet, Stack *stack);

    std::atomic<uint64_t> calls = 0;
    int32_t number;
    // whether tensors must be on one device, except numbers
    bool same_device;
    // whether it is the same operator of each member of lists
    bool for_each;
    ShapeFrom shape_from;
    size_t count;
    std::vector<bool> written, outs;
    int generator = -1, pin_memory = -1;
    // whether it draws from the default generator, and cannot be given one
    bool is_seeded;
    // what computes the same as PyTorch's kernel
    std::optional<c10::KernelFunction> own;
    // torch_npu's own kernel of copy_, which copies bytes between host and device
    std::optional<c10::SafeKernelFunction> host_copy;
};
// by number
std::deque<std::pair<Kernel *, c10::RegistrationHandleRAII>> *kernels;

// ---- random numbers

// Return the seed for one call, and advance the device's generator. Calls with equal seeds and
// offsets draw equal numbers, so that states of a generator can be kept and restored. `randomness`
// does the same.
uint64_t next_seed(std::optional<at::Generator> generator, Device device)
{
    auto drawn = generator ? *generator : at::globalContext().defaultGenerator(device);
    std::lock_guard lock(drawn.mutex());
    auto offset = drawn.get_offset();
    drawn.set_offset(offset + STEP);
    return drawn.current_seed() + offset * UINT64_C(0x9E3779B97F4A7C15);
}

// Have the next recorded call draw from a generator: at a launch, the graph has its seed and offset.
void draw_captured(std::optional<at::Generator> generator, Device device)
{
    auto drawn = generator ? *generator : at::globalContext().defaultGenerator(device);
    auto *theirs = at::check_generator<at_npu::NPUGeneratorImpl>(drawn);
    std::lock_guard lock(theirs->mutex_);
    auto state = theirs->philox_npu_state(STEP);
    TORCH_CHECK(state.captured_, "the stream of the generator is not captured");
    auto address = [](const Tensor *tensor) {
        return reinterpret_cast<uint64_t>(tensor->const_data_ptr());
    };
    hooks.draw(address(state.seed_.ptr), address(state.offset_.ptr), state.offset_intragraph_);
}

// Has the CPU's default generator draw from another seed while it lives.
class Seeded {
  public:
    explicit Seeded(uint64_t seed)
    {
        std::lock_guard lock(own->mutex_);
        own->set_current_seed(seed);
    }
    ~Seeded()
    {
        std::lock_guard lock(own->mutex_);
        own->set_engine(kept->engine());
        own->set_next_float_normal_sample(kept->next_float_normal_sample());
        own->set_next_double_normal_sample(kept->next_double_normal_sample());
    }

  private:
    at::CPUGeneratorImpl *own =
        at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
    std::shared_ptr<at::CPUGeneratorImpl> kept = own->clone();
};

struct InKernel {
    InKernel(Device device, c10::StreamId stream) { in_kernel = {device, stream}; }
    ~InKernel() { in_kernel.reset(); }
};

// ---- a call

class Call {
  public:
    Call(const Kernel &kernel, Device device, c10::StreamId stream, bool waits)
        : kernel(kernel), device(device), stream(stream), waits(waits)
    {
    }

    // Have the checker hear of an argument.
    void add_argument(size_t number, const IValue &argument)
    {
        for_tensors(argument, [&](const Tensor &tensor) {
            if (is_on_device(tensor))
                add_access(accesses, static_cast<int64_t>(number), kernel.written[number], tensor);
        });
    }

    // Tell the checker what is accessed before the kernel runs.
    void begin()
    {
        if (!accesses.empty()) tell(false);
        accesses.clear();
    }

    // Tell the checker of results, and that the call waited.
    void finish()
    {
        if (hooks.checked && (waits || !accesses.empty())) tell(waits);
    }

    // Return the tensor of the CPU that shares the memory of one of the device.
    Tensor host(const Tensor &tensor, bool resizable)
    {
        if (!is_on_device(tensor)) return tensor;
        for (const auto &known : tensors)
            if (known.device.is_same(tensor)) return known.host;
        auto found = c10::make_intrusive<c10::TensorImpl>(host_storage(tensor.storage(), resizable),
                                                          CPU_KEYS, tensor.dtype());
        found->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
        Tensor made(std::move(found));
        copy_bits(tensor, made);
        tensors.push_back({tensor, made});
        return made;
    }

    // Return the tensor of the device for a result of the CPU's kernel.
    Tensor result(const Tensor &host)
    {
        if (!host.defined()) return host;
        auto made = adopt(host);
        if (!made.defined()) {
            for (const auto &known : tensors)
                if (known.host.is_same(host)) return known.device;
            auto options = host.options().device(device).requires_grad(false).pinned_memory(false);
            if (!host.numel()) return at::empty_strided(host.sizes(), host.strides(), options);
            for (const auto &known : storages)
                if (known.host.is_alias_of(host.storage())) return view(host, known.device);
            made = copy(host, options);
        }
        if (hooks.checked) add_access(accesses, -1, true, made);
        return made;
    }

    // Have an output of the device follow that of the CPU, which the kernel may have resized.
    void follow(const Tensor &tensor)
    {
        for (const auto &[output, host] : tensors) {
            if (!output.is_same(tensor) || host.sizes() == tensor.sizes()) continue;
            tensor.resize_(host.sizes());
            if (host.strides() != tensor.strides())
                tensor.as_strided_(host.sizes(), host.strides(), host.storage_offset());
            if (host.storage().data_ptr().get_context()) { // memory of the kernel's
                wait(device, stream); // for the copy of the old elements, which torch_npu queued
                Call(kernel, device, stream, false).host(tensor, false).copy_(host);
            }
            if (hooks.checked) add_access(accesses, -1, true, tensor);
        }
    }

  private:
    struct Pair {
        Tensor device, host;
    };
    struct Storages {
        Storage device, host;
    };

    static void copy_bits(const Tensor &from, const Tensor &to)
    {
        if (from.is_conj()) to._set_conj(true);
        if (from.is_neg()) to._set_neg(true);
        if (from.unsafeGetTensorImpl()->is_wrapped_number())
            to.unsafeGetTensorImpl()->set_wrapped_number(true);
    }

    Storage host_storage(const Storage &storage, bool resizable)
    {
        for (const auto &known : storages)
            if (known.device.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) {
                if (resizable) known.host.unsafeGetStorageImpl()->set_resizable(true);
                return known.host;
            }
        size_t nbytes = storage.nbytes();
        void *bytes = nbytes ? locate(storage.data(), nbytes) : nullptr;
        Storage made(c10::make_intrusive<StorageImpl>(StorageImpl::use_byte_size_t(), nbytes,
                                                      DataPtr(bytes, c10::kCPU), allocator,
                                                      resizable));
        storages.push_back({storage, made});
        return made;
    }

    static Tensor view(const Tensor &host, Storage storage)
    {
        auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), NPU_KEYS, host.dtype());
        made.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides(),
                                                          host.storage_offset());
        copy_bits(host, made);
        return made;
    }

    // Return a tensor that takes over the memory, or has a number's bytes; an undefined one if that is
    // impossible.
    Tensor adopt(const Tensor &host)
    {
        auto *storage = host.storage().unsafeGetStorageImpl();
        const auto &data = storage->data_ptr();
        const auto nbytes = storage->nbytes();
        if (!nbytes || host.storage().use_count() != 1) return {};
        DataPtr memory;
        if (data.get_deleter() == &free_allocated) {
            memory = take_allocated(data.get_context());
        } else if (nbytes <= NUMBER && data.get()) { // tensors of zeros may have no bytes
            memory = allocator->device->allocate(nbytes);
            wait_for_others(device, stream);
            std::memcpy(locate(memory.get(), nbytes), data.get(), nbytes);
        } else {
            return {};
        }
        auto made = c10::make_storage_impl(StorageImpl::use_byte_size_t(), nbytes,
                                           std::move(memory), allocator->device, true, device);
        describe(*made, host);
        return view(host, Storage(std::move(made)));
    }

    // Have torch_npu know the layout of new memory, as its own `set_` does.
    static void describe(StorageImpl &storage, const Tensor &host)
    {
        auto &layout = static_cast<torch_npu::NPUStorageImpl &>(storage).npu_desc_;
        const auto whole = host.is_contiguous();
        const std::array<int64_t, 1> size = {host.numel()}, stride = {1};
        const c10::IntArrayRef sizes = whole ? host.sizes() : size;
        const c10::IntArrayRef strides = whole ? host.strides() : stride;
        layout.base_sizes_.assign(sizes.begin(), sizes.end());
        layout.base_strides_.assign(strides.begin(), strides.end());
        layout.storage_sizes_ = layout.base_sizes_;
        layout.origin_format_ = layout.npu_format_ = ACL_FORMAT_ND;
        layout.data_type_ = host.dtype();
    }

    Tensor copy(const Tensor &host, const at::TensorOptions &options)
    {
        auto made = host.is_non_overlapping_and_dense()
                        ? at::empty_strided(host.sizes(), host.strides(), options)
                        : at::empty(host.sizes(), options);
        wait_for_others(device, stream);
        Call(kernel, device, stream, false).host(made, false).copy_(host);
        return made;
    }

    void tell(bool waited) const
    {
        check(hooks.tell(device.index(), stream, kernel.number, accesses.data(),
                         static_cast<int64_t>(accesses.size()), waited));
    }

    const Kernel &kernel;
    Device device;
    c10::StreamId stream;
    // whether the host knows on return that the stream is done
    bool waits;
    c10::SmallVector<Pair, 4> tensors;
    c10::SmallVector<Storages, 4> storages;
    Accesses accesses;
};

void Kernel::operator()(const c10::OperatorHandle &op, c10::DispatchKeySet, Stack *stack)
{
    auto *arguments = stack->data() + (stack->size() - count);
    if (host_copy && arguments[0].toTensor().device() != arguments[1].toTensor().device()) {
        if (is_copy_of_bytes(arguments[0].toTensor(), arguments[1].toTensor()))
            host_copy->callBoxed(op, NPU_KEYS, stack);
        else op.redispatchBoxed(COPY_KEYS, stack);
        return;
    }
    calls.fetch_add(1, std::memory_order_relaxed);

    std::optional<Device> found;
    for (size_t k = 0; k < count && !found; k++) {
        for_tensors(arguments[k], [&](const Tensor &tensor) {
            if (!found && is_on_device(tensor)) found = tensor.device();
        });
        if (arguments[k].isDevice() && arguments[k].toDevice().type() == NPU)
            found = arguments[k].toDevice();
    }
    bool elsewhere = false;
    for (size_t k = 0; k < count && same_device && found; k++)
        for_tensors(arguments[k], [&](const Tensor &tensor) {
            if (!tensor.defined() || tensor.device() == *found) return;
            elsewhere = true;
            TORCH_CHECK(for_each || (tensor.dim() == 0 && !is_on_device(tensor)),
                        "Expected all tensors to be on the same device, but found at least two devices, ",
                        *found, " and ", tensor.device(), "! (argument ",
                        op.schema().arguments()[k].name(), " of ", op.operator_name(), ")");
        });
    // the CPU's kernel calls the operator of one tensor for each, on its device
    if (for_each && elsewhere) return op.redispatchBoxed(CPU_KEYS, stack);
    const c10::impl::VirtualGuardImpl devices(NPU);
    const auto current = devices.getDevice();
    const auto device = found && found->has_index() ? *found : current;
    std::optional<c10::DeviceGuard> guard;
    if (device != current) guard.emplace(device);

    const auto stream = devices.getStream(device).id();
    const bool idle = is_idle(device, stream);
    if (!idle && hooks.captured(device.index(), stream)) {
        if (generator >= 0) draw_captured(arguments[generator].toOptional<at::Generator>(), device);
        else if (is_seeded) draw_captured(std::nullopt, device);
        op.redispatchBoxed(CAPTURE_KEYS, stack);
        return;
    }
    bool waits = shape_from == DATA;
    for (size_t k = 0; k < count && shape_from == MASKS && hooks.checked; k++)
        waits = waits || has_mask(arguments[k]);
    Call call(*this, device, stream, waits);
    for (size_t k = 0; k < count && hooks.checked; k++) call.add_argument(k, arguments[k]);
    if (!idle) wait(device, stream);
    call.begin();

    c10::SmallVector<Tensor, 2> resizable;
    for (size_t k = 0; k < count; k++) {
        auto &argument = arguments[k];
        if (argument.isDevice() && argument.toDevice().type() == NPU) {
            argument = Device(c10::kCPU);
        } else if (argument.isTensor() || argument.isList()) {
            if (outs[k])
                for_tensors(argument, [&](const Tensor &tensor) {
                    if (is_on_device(tensor)) resizable.push_back(tensor);
                });
            argument = with_tensors(argument, [&](const Tensor &t) { return call.host(t, outs[k]); });
        }
    }
    if (pin_memory >= 0 && !arguments[pin_memory].isNone()) arguments[pin_memory] = false;
    std::optional<Seeded> seeded;
    if (generator >= 0) {
        auto given = arguments[generator].toOptional<at::Generator>();
        if (!given || given->device().type() != c10::kCPU)
            arguments[generator] = at::detail::createCPUGenerator(next_seed(given, device));
    } else if (is_seeded) {
        seeded.emplace(next_seed(std::nullopt, device));
    }
    {
        InKernel scope(device, stream);
        if (own) own->callBoxed(op, CPU_KEYS, stack);
        else run(op, CPU_KEYS, stack);
    }
    for (const auto &tensor : resizable) call.follow(tensor);
    auto results = op.schema().returns().size();
    for (auto *value = stack->data() + (stack->size() - results); results; results--, value++)
        *value = with_tensors(*value, [&](const Tensor &tensor) {
            TORCH_CHECK_NOT_IMPLEMENTED(
                !tensor.defined() || tensor.key_set().has(CPU), "emulated device: ", op.operator_name(),
                " is not available: its result is sparse, nested, quantized or opaque");
            return call.result(tensor);
        });
    call.finish();
}

// Overriding torch_npu's kernels is meant.
struct Silent final : c10::WarningHandler {
    void process(const c10::Warning &) override {}
};

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void ascendref_start(const Hooks *given)
{
    hooks = *given;
    kernels = new std::remove_pointer_t<decltype(kernels)>;
    allocated = new std::remove_pointer_t<decltype(allocated)>;
    allocator = new Allocator;
    c10::SetCPUAllocator(allocator, UINT8_MAX);
    static auto host = c10::Dispatcher::singleton().registerFallback(
        HOST, c10::KernelFunction::makeFromBoxedFunction<&run_boxed>(), "ascendref");
}

// Make this the kernel of an operator for the device; its number is that of calls before.
EXPORT void ascendref_register(const char *name, const char *overload, int32_t same_device,
                               int32_t shape_from)
{
    auto &dispatcher = c10::Dispatcher::singleton();
    auto op = dispatcher.findSchemaOrThrow(name, overload);
    auto kernel = std::make_unique<Kernel>(static_cast<int32_t>(kernels->size()), op, same_device,
                                           static_cast<ShapeFrom>(shape_from));
    auto *made = kernel.get();
    Silent handler;
    c10::WarningUtils::WarningHandlerGuard guard(&handler);
    kernels->emplace_back(
        made, dispatcher.registerImpl(
                  op.operator_name(), c10::DispatchKey::PrivateUse1,
                  c10::KernelFunction::makeFromBoxedFunctor(std::move(kernel)), std::nullopt,
                  nullptr, "ascendref"));
}

EXPORT uint64_t ascendref_calls(int32_t number) { return (*kernels)[number].first->calls; }

// Note where memory of a device is in the process, until it is forgotten. Called with the
// interpreter's lock held, in the order in which memory is found and freed.
EXPORT void ascendref_remember(uint64_t address, uint64_t nbytes, uint64_t host)
{
    std::unique_lock lock(memories_mutex);
    memories[address] = {address + nbytes, reinterpret_cast<char *>(host)};
}

EXPORT void ascendref_forget(uint64_t address)
{
    std::unique_lock lock(memories_mutex);
    memories.erase(address);
}
