// A network's inference on two streams: one uploads batches, the other computes. Events order them.
// Needs the extra `torch`: PyTorch computes the matrix products and the sums.
#include "two_layers.hpp"

const int BATCHES = 6, BUFFERS = 2;

static void infer_all(Network &network)
{
    aclrtStream upload, compute;
    CHECK(aclrtCreateStream(&upload));
    CHECK(aclrtCreateStream(&compute));
    aclrtEvent uploaded[BUFFERS], consumed[BUFFERS];
    for (auto &event : uploaded) CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (auto &event : consumed) CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));

    // memory of the host that copies need not wait for
    aclFloat16 *batches;
    float *probabilities;
    int64_t *classes;
    CHECK(aclrtMallocHost((void **)&batches, BATCHES * ROWS * INPUTS * sizeof *batches));
    CHECK(aclrtMallocHost((void **)&probabilities,
                          BATCHES * ROWS * CLASSES * sizeof *probabilities));
    CHECK(aclrtMallocHost((void **)&classes, BATCHES * ROWS * sizeof *classes));
    auto data = numbers(BATCHES * ROWS * INPUTS, 1);
    for (size_t k = 0; k < data.size(); k++) batches[k] = aclFloatToFloat16(data[k]);

    {
        Array first({ROWS, INPUTS}, ACL_FLOAT16), second({ROWS, INPUTS}, ACL_FLOAT16);
        for (int k = 0; k < BATCHES; k++) {
            int buffer = k % BUFFERS;
            Array &batch = buffer ? second : first;
            if (k >= BUFFERS) CHECK(aclrtStreamWaitEvent(upload, consumed[buffer]));
            CHECK(aclrtMemcpyAsync(batch.address, batch.bytes, batches + k * ROWS * INPUTS,
                                   batch.bytes, ACL_MEMCPY_HOST_TO_DEVICE, upload));
            CHECK(aclrtRecordEvent(uploaded[buffer], upload));

            CHECK(aclrtStreamWaitEvent(compute, uploaded[buffer]));
            network.infer(batch, compute);
            CHECK(aclrtRecordEvent(consumed[buffer], compute));
            size_t bytes = network.probabilities.bytes;
            CHECK(aclrtMemcpyAsync(probabilities + k * ROWS * CLASSES, bytes,
                                   network.probabilities.address, bytes,
                                   ACL_MEMCPY_DEVICE_TO_HOST, compute));
            bytes = network.classes.bytes;
            CHECK(aclrtMemcpyAsync(classes + k * ROWS, bytes, network.classes.address, bytes,
                                   ACL_MEMCPY_DEVICE_TO_HOST, compute));
        }
        CHECK(aclrtSynchronizeStream(upload));
        CHECK(aclrtSynchronizeStream(compute));
    }

    double largest = 0;
    int64_t as_expected = 0;
    for (int64_t row = 0; row < BATCHES * ROWS; row++) {
        auto expected = network.expected(batches + row * INPUTS);
        int64_t best = 0;
        for (int64_t c = 0; c < CLASSES; c++) {
            if (expected[c] > expected[best]) best = c;
            largest = std::fmax(largest, std::fabs(probabilities[row * CLASSES + c] - expected[c]));
        }
        as_expected += classes[row] == best;
    }
    printf("classes of batch 0:");
    for (int64_t row = 0; row < ROWS; row++) printf(" %d", (int)classes[row]);
    printf("\n%d of %d rows have the class that the host computes\n", (int)as_expected,
           (int)(BATCHES * ROWS));
    printf("probabilities within 1e-6 of the host's: %s\n", largest < 1e-6 ? "yes" : "no");

    CHECK(aclrtFreeHost(batches));
    CHECK(aclrtFreeHost(probabilities));
    CHECK(aclrtFreeHost(classes));
    for (auto event : uploaded) CHECK(aclrtDestroyEvent(event));
    for (auto event : consumed) CHECK(aclrtDestroyEvent(event));
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
