/* at: 0.31,-1.17,12.77,0.003,-0.45
 * noise: 1e-11 */
#include <stdint.h>
#include <string.h>
static inline uint64_t bits_of(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}
static inline double number_of(uint64_t u) {
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}
#define HI(d) ((int)(bits_of(d) >> 32))
#define LO(d) ((unsigned)bits_of(d))
#define SET_HI(d, to) ((d) = number_of((uint64_t)(uint32_t)(to) << 32 | (uint32_t)bits_of(d)))
#define SET_LO(d, to) ((d) = number_of((bits_of(d) & 0xffffffff00000000) | (uint32_t)(to)))
#include "libm_words.h"
