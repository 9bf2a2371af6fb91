/* Doubts (cc/plan/doubts.h) about single bytes.
 *
 * A doubt applies to a word of 4 bytes and is kept in the word's own cell. Integers of 1 and 2 bytes, such as digits
 * from which a number was composed, are treated one by one: a doubt about one of them excludes the other bytes of the
 * word. When the write of a byte is reversed, the byte is excluded, too; when no byte is left, the cell is cleared.
 *
 * Adding two NaNs keeps one of them: a doubt that excludes bytes might replace one that does not. So generated
 * code adds doubts to cells as doubts of whole words (cc/reverse/sweep_cells.c), and the run time adds them
 * with the functions below. */
#include "native/cells/inside.h"

#include <string.h>

enum { UNIT = 4 };

static uint64_t bits_of(double adjoint) {
    uint64_t bits;
    memcpy(&bits, &adjoint, sizeof bits);
    return bits;
}

static uint64_t *cell_of(uintptr_t word) {
    return (uint64_t *)verso__native_cell_of(verso__native_address(word), VERSO_NATIVE_DOUBTED);
}

static uint64_t cell_at(uintptr_t word) {
    uint64_t bits;
    memcpy(&bits, cell_of(word), sizeof bits);
    return bits;
}

static void set_cell(uintptr_t word, uint64_t bits) {
    memcpy(cell_of(word), &bits, sizeof bits);
}

bool verso__native_has_doubts(void) {
    return &verso__native_program_doubts != NULL && verso__native_program_doubts != 0;
}

bool verso__native_is_doubt(uint64_t bits) {
    return (bits << 1) >> (VERSO_NATIVE_DOUBT_BITS + 1) == (VERSO_NATIVE_DOUBT << 1) >> (VERSO_NATIVE_DOUBT_BITS + 1);
}

unsigned verso__native_doubt_bytes(uint64_t bits) {
    return (unsigned)(~bits & VERSO_NATIVE_DOUBT_SPARED);
}

uint64_t verso__native_doubt_without(uint64_t bits, unsigned bytes) {
    bits |= bytes;
    return verso__native_doubt_bytes(bits) == 0 ? 0 : bits;
}

/* If the cell holds a derivative, the whole word is in doubt. */
uint64_t verso__native_doubt_sum(uint64_t before, uint64_t doubt) {
    if (before << 1 == 0)
        return doubt;
    uint64_t spared = verso__native_is_doubt(before) ? before & doubt & VERSO_NATIVE_DOUBT_SPARED : 0;
    return (doubt & ~VERSO_NATIVE_DOUBT_SPARED) | spared;
}

static void add_doubt(uintptr_t byte, uint64_t doubt) {
    uintptr_t word = byte - byte % UNIT;
    uint64_t others = VERSO_NATIVE_DOUBT_SPARED & ~(UINT64_C(1) << byte % UNIT);
    set_cell(word, verso__native_doubt_sum(cell_at(word), (doubt & ~VERSO_NATIVE_DOUBT_SPARED) | others));
}

/* Removes the doubt about a byte, and returns it as a doubt about the whole word; 0: there was none. */
static uint64_t take_doubt(uintptr_t byte) {
    uintptr_t word = byte - byte % UNIT;
    uint64_t there = cell_at(word);
    unsigned own = 1u << byte % UNIT;
    if (!verso__native_is_doubt(there) || (verso__native_doubt_bytes(there) & own) == 0)
        return 0;
    set_cell(word, verso__native_doubt_without(there, own));
    return there & ~VERSO_NATIVE_DOUBT_SPARED;
}

bool verso__native_doubt_add(char *data, uint64_t size, double adjoint) {
    if (!verso__native_has_doubts() || !verso__native_is_doubt(bits_of(adjoint)))
        return false;
    for (uint64_t i = 0; i < size; i++)
        add_doubt((uintptr_t)data + i, bits_of(adjoint));
    return true;
}

void verso__native_sweep_read_bytes(void *data, uint64_t size, double adjoint, const char *message) {
    if (!verso__native_doubt_add(data, size, adjoint))
        verso__native_sweep_read(data, VERSO_NATIVE_DOUBTED, adjoint, message);
}

double verso__native_doubt_take(char *data, uint64_t size) {
    uint64_t doubt = 0;
    double adjoint;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t each = take_doubt((uintptr_t)data + i);
        doubt = each != 0 ? each : doubt;
    }
    memcpy(&adjoint, &doubt, sizeof adjoint);
    return adjoint;
}

double verso__native_sweep_write_bytes(void *data, uint64_t size) {
    uintptr_t first = (uintptr_t)data, last = first + size - 1;
    if (verso__native_is_doubt(cell_at(first - first % UNIT)) || verso__native_is_doubt(cell_at(last - last % UNIT)))
        return verso__native_doubt_take(data, size);
    return verso__native_sweep_write(data, VERSO_NATIVE_DOUBTED);
}

/* The doubt about a byte must leave it before another one is added, so the order is opposite to that of the copy. */
void verso__native_doubts_move(char *destination, char *source, uint64_t size) {
    uintptr_t to = (uintptr_t)source, from = (uintptr_t)destination;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t at = to > from ? size - 1 - i : i, doubt = take_doubt(from + at);
        if (doubt != 0)
            add_doubt(to + at, doubt);
    }
}

/* A NaN that the program itself made may look like a doubt; but the address in it is not one of the program. */
const char *verso__native_doubt_message(uint64_t bits) {
    verso__native_range program = verso__native_program();
    uint64_t address = bits & ((UINT64_C(1) << VERSO_NATIVE_DOUBT_BITS) - 1) & ~VERSO_NATIVE_DOUBT_SPARED;
    const char *message = verso__native_address(address);
    return message >= program.begin && message < program.end ? message : NULL;
}

void verso__native_doubt_check(double derivative) {
    uint64_t bits;
    memcpy(&bits, &derivative, sizeof bits);
    if (verso__native_is_doubt(bits) && verso__native_doubt_message(bits) != NULL)
        verso__native_refuse(verso__native_doubt_message(bits));
}

const char *verso__native_blame_message(double tangent) {
    uint64_t bits;
    memcpy(&bits, &tangent, sizeof bits);
    return (bits << 1) >> (VERSO_NATIVE_DOUBT_BITS + 1) == (VERSO_NATIVE_BLAME << 1) >> (VERSO_NATIVE_DOUBT_BITS + 1)
               ? verso__native_doubt_message(bits)
               : NULL;
}
