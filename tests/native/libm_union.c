/* at: 0.31,-1.17,12.77,0.003,-0.45
 * noise: 1e-11 */
typedef union words {
    double number;
    struct {
        unsigned low;
        int high;
    } word;
} words;
#define HI(d) (((words){.number = (d)}).word.high)
#define LO(d) (((words){.number = (d)}).word.low)
#define SET_HI(d, to) \
    do { \
        words w_; \
        w_.number = (d); \
        w_.word.high = (to); \
        (d) = w_.number; \
    } while (0)
#define SET_LO(d, to) \
    do { \
        words w_; \
        w_.number = (d); \
        w_.word.low = (to); \
        (d) = w_.number; \
    } while (0)
#include "libm_words.h"
