/* libFuzzer target: continues runs from forged journals with correct checksums. The run ends soon, with the right
 * bits or with an error, and writes nothing outside of its directory. */
#include "tests/support/made_journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    made_begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)made_try(data, size);
    return 0;
}
