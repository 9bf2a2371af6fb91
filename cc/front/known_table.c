/* The table of C library functions that differentiated code may call (glibc 2.36, and similar functions of
 * libstdc++).
 *
 * A number that comes from text, a clock or a random generator (strtod, drand48, difftime) is input: it has no
 * derivative. A function that writes only integers, pointers, structs of them or wide characters (stat,
 * localtime_r, strtol) is listed as reading, because no number is ever read from such memory; the same holds for
 * the program's own stores of such types. A function that may write characters or the bytes of numbers (fread,
 * scanf) is listed as writing.
 *
 * The world (cc_world) says what a function does outside the program's memory or reads from there, which matters to
 * a run that is repeated. The state of locks, multibyte conversions, the floating-point environment and the like is
 * in the program's memory or in registers. A locale that is set while a run is differentiated is not set back.
 *
 * Not listed, and therefore refused: functions that call back into the program in no defined order (tsearch, ftw),
 * that map memory other than mmap and mremap (shmat), or whose writes cannot be described (ioctl). */
#include "cc/front/known_table.h"

#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

/* Names that need no description are words in one string, in alphabetical order. The others have one entry each,
 * also in alphabetical order, because both are searched by bisection. */
typedef struct described {
    const char *name;
    const char *how;
} described;

/* CC_KNOWN_READS, CC_WORLD_NOT */
static const char reads[] =
    "_Exit _ZSt9terminatev __assert __assert_fail __assert_perror_fail __chk_fail __ctype_b_loc "
    "__ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc __cxa_bad_cast __cxa_bad_typeid "
    "__cxa_deleted_virtual __cxa_finalize __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release "
    "__cxa_pure_virtual __dynamic_cast __errno_location __finite __finitef __finitel __fortify_fail __fpclassify "
    "__fpclassifyf __fpclassifyl __iseqsig __iseqsigf __iseqsigl __isinf __isinff __isinfl __isnan __isnanf __isnanl "
    "__issignaling __issignalingf __issignalingl __signbit __signbitf __signbitl __stack_chk_fail __strtok_r "
    "__xpg_basename __xpg_strerror_r _exit a64l abort abs atof atoi atol atoll basename bcmp btowc cnd_broadcast "
    "cnd_destroy cnd_init cnd_signal difftime dirname div erand48 err errx exit feclearexcept fedisableexcept "
    "feenableexcept fegetenv fegetexcept fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv "
    "fesetexceptflag fesetround fetestexcept feupdateenv ffs ffsl ffsll finite finitef finitel fnmatch getauxval "
    "getpagesize getsubopt gmtime_r gnu_get_libc_version ilogb ilogbf ilogbl imaxabs imaxdiv index insque isalnum "
    "isalpha isascii isblank iscntrl isdigit isgraph isinf isinff isinfl islower isnan isnanf isnanl isprint ispunct "
    "isspace isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct "
    "iswspace iswupper iswxdigit isxdigit jrand48 labs ldiv llabs lldiv llogb llogbf llogbl llrint llrintf llrintl "
    "llround llroundf llroundl lrint lrintf lrintl lround lroundf lroundl malloc_trim mallopt mblen mbrlen mbrtowc "
    "mbsinit mbsrtowcs mbstowcs mbtowc memchr memcmp memmem memrchr mktime mtx_destroy mtx_init mtx_lock mtx_trylock "
    "mtx_unlock nan nanf nanl nrand48 pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init "
    "pthread_attr_setstacksize pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal "
    "pthread_equal pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock "
    "pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_init pthread_mutexattr_settype "
    "pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock "
    "pthread_self pthread_spin_destroy pthread_spin_init pthread_spin_lock pthread_spin_unlock quick_exit rand_r "
    "random_r rawmemchr remque rindex sigaddset sigdelset sigemptyset sigfillset sigismember srandom_r strcasecmp "
    "strcasestr strchr strchrnul strcmp strcoll strcspn strerror strerror_r strlen strncasecmp strncmp strnlen "
    "strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtof128 strtof32 strtof32x strtof64 "
    "strtof64x strtoimax strtok_r strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq strverscmp strxfrm "
    "swprintf timegm toascii tolower totalorder totalorderf totalorderl totalordermag totalordermagf totalordermagl "
    "toupper towctrans towlower towupper verr verrx verso__native_block_size verso__native_mprotect "
    "verso__native_munmap verso__native_refuse verso__native_refuse_lost verso__native_remap verso__native_symbol "
    "vswprintf "
    "wcrtomb wcscasecmp wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen "
    "wcsncasecmp wcsncat "
    "wcsncmp wcsncpy wcsnlen wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstok wcstol wcstold wcstoll "
    "wcstombs wcstoul wcstoull wcsxfrm wctob wctomb wctrans wctype wmemchr wmemcmp";

/* CC_KNOWN_READS, CC_WORLD_ONCE: only the result needs logging */
static const char outside[] =
    "_IO_getc _IO_putc __cxa_atexit __cxa_thread_atexit access alarm arc4random arc4random_uniform at_quick_exit "
    "atexit bind_textdomain_codeset bindtextdomain chdir chmod chown clearenv clearerr clock close closedir "
    "closelog creat dcgettext dgettext dlerror dlopen dlsym dlvsym dup dup2 duplocale faccessat fchdir fclose "
    "fdatasync fdopen fdopendir feof feof_unlocked ferror ferror_unlocked fflush fflush_unlocked fgetc "
    "fgetc_unlocked fgetwc fileno flock flockfile fopen fopen64 fputc fputc_unlocked fputs fputs_unlocked fputwc "
    "fputws freelocale freopen freopen64 fseek fseeko fseeko64 fsetpos fsync ftell ftello ftello64 ftruncate "
    "ftrylockfile funlockfile fwide fwprintf fwrite fwrite_unlocked get_nprocs get_nprocs_conf getc getc_unlocked "
    "getchar getchar_unlocked getegid getenv geteuid getgid gethostid getlogin getpid getppid getpriority gettext "
    "gettid getuid getw getwc getwchar isatty kill link localeconv lseek lseek64 mkdir mkdirat newlocale ngettext "
    "nl_langinfo on_exit open open64 openat opendir openlog pathconf pclose perror popen posix_fadvise "
    "posix_fallocate psignal pthread_getspecific pthread_key_delete pthread_setspecific putc putc_unlocked putchar "
    "putchar_unlocked putenv puts putw putwc putwchar pwrite pwrite64 readahead regfree remove rename rewind "
    "rewinddir rmdir sched_getcpu sched_yield secure_getenv setbuf setbuffer setenv setlinebuf setlocale setrlimit "
    "setvbuf signal sleep symlink sync sysconf system textdomain tmpfile tmpfile64 truncate tss_delete tss_get "
    "tss_set ttyname tzset umask ungetc ungetwc unlink unlinkat unsetenv uselocale usleep verso__team_most vfwprintf "
    "vwprintf "
    "wprintf write";

/* CC_KNOWN_READS, CC_WORLD_RANDOM */
static const char drawing[] =
    "drand48 initstate lcong48 lrand48 mrand48 rand random seed48 setstate srand srand48 srandom";

/* CC_KNOWN_READS, CC_WORLD_NEVER: what they return or change is in memory of the C library, or they write to the
 * program's memory later. */
static const char hiding[] =
    "__overflow __uflow dlclose fmemopen getopt getopt_long getopt_long_only getpwnam getpwuid open_memstream readdir "
    "readdir64 tmpnam";

/* CC_KNOWN_LIBRARY: native/lib has replacements. */
static const char own[] =
    "__asprintf_chk __atomic_compare_exchange __atomic_exchange __atomic_load __atomic_store __divdc3 __divsc3 "
    "__divxc3 __fread_chk __getdelim __mempcpy __mempcpy_chk __muldc3 __mulsc3 __mulxc3 __strdup __strndup "
    "__vasprintf_chk asctime asprintf bcopy bsearch cabs cabsf cabsl cacos cacosf cacosh cacoshf cacoshl cacosl carg "
    "cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf catanh catanhf catanhl catanl ccos ccosf "
    "ccosh ccoshf ccoshl ccosl cexp cexpf cexpl cimag cimagf cimagl clog clog10 clog10f clog10l clogf clogl conj "
    "conjf conjl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall csin csinf csinh csinhf csinhl csinl csqrt "
    "csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctime frexp frexpf frexpl gamma_r getdelim getline gmtime "
    "hcreate hdestroy hsearch l64a lfind lgamma_r lgammaf_r lgammal_r localtime lsearch memccpy mempcpy modf modff "
    "modfl omp_aligned_alloc omp_alloc omp_calloc omp_destroy_lock omp_destroy_nest_lock omp_free "
    "omp_get_active_level omp_get_cancellation omp_get_max_threads omp_get_num_teams omp_get_num_threads "
    "omp_get_team_num omp_get_thread_limit omp_get_thread_num omp_in_parallel omp_init_lock omp_init_lock_with_hint "
    "omp_init_nest_lock omp_init_nest_lock_with_hint omp_set_dynamic omp_set_lock omp_set_max_active_levels "
    "omp_set_nest_lock omp_set_nested omp_set_num_threads omp_test_lock omp_test_nest_lock omp_unset_lock "
    "omp_unset_nest_lock posix_memalign qsort qsort_r realloc reallocarray remquo remquof remquol sincos sincosf "
    "sincosl strdup strndup strtok vasprintf verso__native_mremap verso__native_posix_memalign verso__native_realloc "
    "verso_linear_solve_at wmemcpy wmemmove wmempcpy wmemset";

/* CC_KNOWN_JUMP */
static const char jumps[] = "__longjmp_chk __sigsetjmp _longjmp _setjmp longjmp setjmp siglongjmp sigsetjmp";

/* CC_KNOWN_THREAD */
static const char threads[] =
    "call_once cnd_wait pthread_barrier_wait pthread_cancel pthread_cond_timedwait pthread_cond_wait pthread_create "
    "pthread_detach pthread_exit pthread_join pthread_once sem_wait thrd_create thrd_exit thrd_join";

/* CC_KNOWN_MEMORY */
static const described memory[] = {{"_ZdaPv", "f"},
                                   {"_ZdaPvRKSt9nothrow_t", "f"},
                                   {"_ZdaPvSt11align_val_t", "f"},
                                   {"_ZdaPvSt11align_val_tRKSt9nothrow_t", "f"},
                                   {"_ZdaPvm", "f"},
                                   {"_ZdaPvmSt11align_val_t", "f"},
                                   {"_ZdlPv", "f"},
                                   {"_ZdlPvRKSt9nothrow_t", "f"},
                                   {"_ZdlPvSt11align_val_t", "f"},
                                   {"_ZdlPvSt11align_val_tRKSt9nothrow_t", "f"},
                                   {"_ZdlPvm", "f"},
                                   {"_ZdlPvmSt11align_val_t", "f"},
                                   {"_Znam", "a0"},
                                   {"_ZnamRKSt9nothrow_t", "a0"},
                                   {"_ZnamSt11align_val_t", "a0"},
                                   {"_ZnamSt11align_val_tRKSt9nothrow_t", "a0"},
                                   {"_Znwm", "a0"},
                                   {"_ZnwmRKSt9nothrow_t", "a0"},
                                   {"_ZnwmSt11align_val_t", "a0"},
                                   {"_ZnwmSt11align_val_tRKSt9nothrow_t", "a0"},
                                   {"__memcpy_chk", "c"},
                                   {"__memmove_chk", "c"},
                                   {"__memset_chk", "s"},
                                   {"aligned_alloc", "a1"},
                                   {"calloc", "a01"},
                                   {"cfree", "f"},
                                   {"free", "f"},
                                   {"malloc", "a0"},
                                   {"memalign", "a1"},
                                   {"memcpy", "c"},
                                   {"memmove", "c"},
                                   {"memset", "s"},
                                   {"pvalloc", "a0"},
                                   {"valloc", "a0"},
                                   {"verso__native_aligned_alloc", "a1"},
                                   {"verso__native_calloc", "a01"},
                                   {"verso__native_free", "f"},
                                   {"verso__native_malloc", "a0"},
                                   {"verso__native_mmap", "a1"}};

/* CC_KNOWN_WRITES, CC_WORLD_NOT */
static const described writes[] = {{"__explicit_bzero_chk", "01"},
                                   {"__snprintf_chk", "0n"},
                                   {"__sprintf_chk", "0s"},
                                   {"__stpcpy", "0s"},
                                   {"__stpcpy_chk", "0s"},
                                   {"__stpncpy", "02"},
                                   {"__stpncpy_chk", "02"},
                                   {"__strcat_chk", "0s"},
                                   {"__strcpy_chk", "0s"},
                                   {"__strncat_chk", "0s"},
                                   {"__strncpy_chk", "02"},
                                   {"__vsnprintf_chk", "0n"},
                                   {"__vsprintf_chk", "0s"},
                                   {"asctime_r", "1s"},
                                   {"bzero", "01"},
                                   {"ctime_r", "1s"},
                                   {"drand48_r", "1d"},
                                   {"erand48_r", "2d"},
                                   {"explicit_bzero", "01"},
                                   {"gcvt", "2s"},
                                   {"snprintf", "0n"},
                                   {"sprintf", "0s"},
                                   {"sscanf", "1f"},
                                   {"stpcpy", "0s"},
                                   {"stpncpy", "02"},
                                   {"strcat", "0s"},
                                   {"strcpy", "0s"},
                                   {"strfromd", "0n"},
                                   {"strfromf", "0n"},
                                   {"strfroml", "0n"},
                                   {"strftime", "0r"},
                                   {"strncat", "0s"},
                                   {"strncpy", "02"},
                                   {"vsnprintf", "0n"},
                                   {"vsprintf", "0s"}};

/* CC_KNOWN_WRITES, CC_WORLD_ONCE */
static const described input[] = {
    {"__fgets_chk", "rs"},    {"__pread_chk", "1r"}, {"__read_chk", "1r"},     {"__recv_chk", "1r"}, {"fgets", "rs"},
    {"fgets_unlocked", "rs"}, {"fread", "0x"},       {"fread_unlocked", "0x"}, {"fscanf", "1f"},     {"getcwd", "rs"},
    {"getentropy", "01"},     {"gethostname", "0s"}, {"getlogin_r", "0s"},     {"getrandom", "0r"},  {"gets", "rs"},
    {"getwd", "rs"},          {"pread", "1r"},       {"pread64", "1r"},        {"read", "1r"},       {"readlink", "1r"},
    {"recv", "1r"},           {"scanf", "0f"}};

/* CC_KNOWN_WRITES, CC_WORLD_NEVER: a C++ stream keeps its error state in its own memory. */
static const described streams[] = {
    {"_ZNSi10_M_extractIdEERSiRT_", "1d"}, {"_ZNSi10_M_extractIfEERSiRT_", "1i"}, {"_ZNSi4readEPcl", "12"}};

/* CC_KNOWN_READS, CC_WORLD_ONCE */
static const described outside_writing[] = {{"__dprintf_chk", "2F"},
                                            {"__fprintf_chk", "2F"},
                                            {"__fxstat", "2S"},
                                            {"__lxstat", "2S"},
                                            {"__printf_chk", "1F"},
                                            {"__vdprintf_chk", "2F"},
                                            {"__vfprintf_chk", "2F"},
                                            {"__vprintf_chk", "1F"},
                                            {"__xstat", "2S"},
                                            {"clock_getres", "1T"},
                                            {"clock_gettime", "1T"},
                                            {"clock_nanosleep", "3T"},
                                            {"dprintf", "1F"},
                                            {"error", "2F"},
                                            {"error_at_line", "4F"},
                                            {"fgetpos", "1T"},
                                            {"fgetws", "rW"},
                                            {"fprintf", "1F"},
                                            {"fstat", "1S"},
                                            {"fstat64", "1S"},
                                            {"fstatat", "2S"},
                                            {"getrlimit", "1T"},
                                            {"getrusage", "1U"},
                                            {"gettimeofday", "0T1l"},
                                            {"localtime_r", "1M"},
                                            {"lstat", "1S"},
                                            {"lstat64", "1S"},
                                            {"mkdtemp", "0s"},
                                            {"mkstemp", "0s"},
                                            {"nanosleep", "1T"},
                                            {"pipe", "0l"},
                                            {"poll", "0P"},
                                            {"printf", "0F"},
                                            {"pthread_key_create", "0i"},
                                            {"pthread_sigmask", "2G"},
                                            {"realpath", "rs"},
                                            {"regcomp", "0R"},
                                            {"regerror", "2s"},
                                            {"regexec", "3E"},
                                            {"select", "1G2G3G4T"},
                                            {"sigaction", "2A"},
                                            {"sigaltstack", "1K"},
                                            {"sigpending", "0G"},
                                            {"sigprocmask", "2G"},
                                            {"stat", "1S"},
                                            {"stat64", "1S"},
                                            {"syslog", "1F"},
                                            {"time", "0l"},
                                            {"times", "0C"},
                                            {"timespec_get", "0T"},
                                            {"tss_create", "0i"},
                                            {"uname", "0N"},
                                            {"vdprintf", "1F"},
                                            {"vfprintf", "1F"},
                                            {"vprintf", "0F"},
                                            {"vwarn", "0F"},
                                            {"vwarnx", "0F"},
                                            {"warn", "0F"},
                                            {"warnx", "0F"}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Returns a negative number, 0 or a positive number if `name` is less than, equal to or greater than the word that
 * starts at `word`. */
static int compare_word(const char *name, const char *word) {
    size_t length = strcspn(word, " ");
    int order = strncmp(name, word, length);
    return order != 0 ? order : name[length] != '\0';
}

/* Searches a sorted string of words by bisection. A middle inside a word is moved back to its start. */
static bool has_word(const char *words, size_t length, const char *name) {
    size_t low = 0, high = length; /* each at the start of a word, or after the last one */
    while (low < high) {
        size_t word = low + (high - low) / 2;
        while (word > low && words[word - 1] != ' ')
            word--;
        int order = compare_word(name, words + word);
        if (order == 0)
            return true;
        if (order < 0)
            high = word;
        else
            low = word + strcspn(words + word, " ") + 1;
    }
    return false;
}

static int compare_described(const void *name, const void *entry) {
    return strcmp(name, ((const described *)entry)->name);
}

static const struct {
    const char *words;
    size_t length;
    cc_known_class class;
    cc_world world;
} plain[] = {{reads, sizeof reads - 1, CC_KNOWN_READS, CC_WORLD_NOT},
             {outside, sizeof outside - 1, CC_KNOWN_READS, CC_WORLD_ONCE},
             {drawing, sizeof drawing - 1, CC_KNOWN_READS, CC_WORLD_RANDOM},
             {hiding, sizeof hiding - 1, CC_KNOWN_READS, CC_WORLD_NEVER},
             {own, sizeof own - 1, CC_KNOWN_LIBRARY, CC_WORLD_NOT},
             {jumps, sizeof jumps - 1, CC_KNOWN_JUMP, CC_WORLD_NOT},
             {threads, sizeof threads - 1, CC_KNOWN_THREAD, CC_WORLD_NOT}};

static const struct {
    const described *entries;
    size_t count;
    cc_known_class class;
    cc_world world;
} detailed[] = {{memory, COUNT(memory), CC_KNOWN_MEMORY, CC_WORLD_NOT},
                {writes, COUNT(writes), CC_KNOWN_WRITES, CC_WORLD_NOT},
                {input, COUNT(input), CC_KNOWN_WRITES, CC_WORLD_ONCE},
                {streams, COUNT(streams), CC_KNOWN_WRITES, CC_WORLD_NEVER},
                {outside_writing, COUNT(outside_writing), CC_KNOWN_READS, CC_WORLD_ONCE}};

/* The sizes are those of this process: the transformer runs on the same kind of machine as the program. */
size_t cc_struct_bytes(char letter) {
    _Static_assert(sizeof(sigset_t) == sizeof(fd_set), "one letter for both");
    _Static_assert(sizeof(struct rlimit) == sizeof(struct timespec) && sizeof(fpos_t) == sizeof(struct timespec) &&
                       sizeof(struct timeval) == sizeof(struct timespec),
                   "one letter for all");
    switch (letter) {
    case 'A': return sizeof(struct sigaction);
    case 'C': return sizeof(struct tms);
    case 'G': return sizeof(sigset_t);
    case 'K': return sizeof(stack_t);
    case 'M': return sizeof(struct tm);
    case 'N': return sizeof(struct utsname);
    case 'R': return sizeof(regex_t);
    case 'S': return sizeof(struct stat);
    case 'T': return sizeof(struct timespec);
    case 'U': return sizeof(struct rusage);
    default: return 0;
    }
}

cc_known cc_known_in_table(const char *name) {
    for (size_t i = 0; i < COUNT(plain); i++)
        if (has_word(plain[i].words, plain[i].length, name))
            return (cc_known){name, plain[i].class, "", plain[i].world};
    for (size_t i = 0; i < COUNT(detailed); i++) {
        const described *found =
            bsearch(name, detailed[i].entries, detailed[i].count, sizeof(described), compare_described);
        if (found != NULL)
            return (cc_known){name, detailed[i].class, found->how, detailed[i].world};
    }
    return (cc_known){name, CC_KNOWN_NOT, "", CC_WORLD_NOT};
}
