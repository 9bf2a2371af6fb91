/* at: 0.31,-1.17,12.77,0.003,-0.45
 * noise: 1e-11
 * flags: -fno-strict-aliasing */
#define HI(d) (*(1 + (int *)&(d)))
#define LO(d) (*(int *)&(d))
#define SET_HI(d, to) (HI(d) = (to))
#define SET_LO(d, to) (LO(d) = (to))
#include "libm_words.h"
