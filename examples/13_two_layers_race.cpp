// The network of 12_two_layers.cpp with a race: the next batch overwrites one that is still read.
// Needs the extra `torch`: PyTorch computes the matrix products and the sums.
#include "two_layers.hpp"

static void infer_all(Network &network)
{
    const int BATCHES = 2;
    aclrtStream upload, compute;
    CHECK(aclrtCreateStream(&upload));
    CHECK(aclrtCreateStream(&compute));
    aclrtEvent uploaded;
    CHECK(aclrtCreateEventExWithFlag(&uploaded, ACL_EVENT_SYNC));
    Array batch({ROWS, INPUTS}, ACL_FLOAT16);
    aclFloat16 *batches;
    CHECK(aclrtMallocHost((void **)&batches, BATCHES * batch.bytes));
    auto data = numbers(BATCHES * ROWS * INPUTS, 1);
    for (size_t k = 0; k < data.size(); k++) batches[k] = aclFloatToFloat16(data[k]);

    for (int k = 0; k < BATCHES; k++) {
        // missing: upload has to wait until the network has read the batch before this one
        CHECK(aclrtMemcpyAsync(batch.address, batch.bytes, batches + k * ROWS * INPUTS,
                               batch.bytes, ACL_MEMCPY_HOST_TO_DEVICE, upload));
        CHECK(aclrtRecordEvent(uploaded, upload));
        CHECK(aclrtStreamWaitEvent(compute, uploaded));
        network.infer(batch, compute);
    }
    CHECK(aclrtSynchronizeStream(upload));
    CHECK(aclrtSynchronizeStream(compute));

    CHECK(aclrtFreeHost(batches));
    CHECK(aclrtDestroyEvent(uploaded));
    CHECK(aclrtDestroyStream(upload));
    CHECK(aclrtDestroyStream(compute));
}

int main()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    infer_all(*make_network());
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
