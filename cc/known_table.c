/* The table of C library functions that differentiated code may call (glibc 2.36, and what libstdc++ has that is like
 * it).
 *
 * A number that comes out of text, a clock or a random generator (strtod, drand48, difftime) has no derivative: it is
 * input. A function that writes only integers, pointers, structs of them or wide characters (stat, localtime_r,
 * strtol) counts as reading: like the program's own stores of such types, no number is ever read from there.
 * What may write the bytes of numbers (fread, scanf), or characters, is among those that write.
 *
 * Not here, and so refused: what calls back into the program without order (tsearch, ftw), what maps memory (mmap),
 * what writes more than can be said (ioctl). */
#include "cc/known_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Names that need no more said are words in a string, in order; the others have a line each, in order, too. */
typedef struct described {
    const char *name;
    const char *how;
} described;

/* CC_KNOWN_READS */
static const char reads[] =
    "_Exit _IO_getc _IO_putc _ZSt9terminatev __assert __assert_fail __assert_perror_fail __chk_fail __ctype_b_loc "
    "__ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc __cxa_atexit __cxa_bad_cast __cxa_bad_typeid "
    "__cxa_deleted_virtual __cxa_finalize __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release "
    "__cxa_pure_virtual __cxa_thread_atexit __dprintf_chk __dynamic_cast __errno_location __explicit_bzero_chk "
    "__finite __finitef __finitel __fortify_fail __fpclassify __fpclassifyf __fpclassifyl __fprintf_chk __fxstat "
    "__iseqsig __iseqsigf __iseqsigl __isinf __isinff __isinfl __isnan __isnanf __isnanl __issignaling __issignalingf "
    "__issignalingl __lxstat __overflow __printf_chk __signbit __signbitf __signbitl __stack_chk_fail __strtok_r "
    "__uflow __vdprintf_chk __vfprintf_chk __vprintf_chk __xpg_basename __xpg_strerror_r __xstat _exit a64l abort abs "
    "access alarm arc4random arc4random_uniform at_quick_exit atexit atof atoi atol atoll basename bcmp "
    "bind_textdomain_codeset bindtextdomain btowc chdir chmod chown clearenv clearerr clock clock_getres "
    "clock_gettime clock_nanosleep close closedir closelog cnd_broadcast cnd_destroy cnd_init cnd_signal creat "
    "dcgettext dgettext difftime dirname div dlclose dlerror dlopen dlsym dlvsym dprintf drand48 dup dup2 duplocale "
    "erand48 err error error_at_line errx exit faccessat fchdir fclose fdatasync fdopen fdopendir feclearexcept "
    "fedisableexcept feenableexcept fegetenv fegetexcept fegetexceptflag fegetround feholdexcept feof feof_unlocked "
    "feraiseexcept ferror ferror_unlocked fesetenv fesetexceptflag fesetround fetestexcept feupdateenv fflush "
    "fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fgetpos fgetwc fgetws fileno finite finitef finitel flock "
    "flockfile fmemopen fnmatch fopen fopen64 fprintf fputc fputc_unlocked fputs fputs_unlocked fputwc fputws "
    "freelocale freopen freopen64 fseek fseeko fseeko64 fsetpos fstat fstat64 fstatat fsync ftell ftello ftello64 "
    "ftruncate ftrylockfile funlockfile fwide fwprintf fwrite fwrite_unlocked get_nprocs get_nprocs_conf getauxval "
    "getc getc_unlocked getchar getchar_unlocked getegid getenv geteuid getgid gethostid getlogin getopt getopt_long "
    "getopt_long_only getpagesize getpid getppid getpriority getpwnam getpwuid getrlimit getrusage getsubopt gettext "
    "gettid gettimeofday getuid getw getwc getwchar gmtime_r gnu_get_libc_version ilogb ilogbf ilogbl imaxabs imaxdiv "
    "index initstate insque isalnum isalpha isascii isatty isblank iscntrl isdigit isgraph isinf isinff isinfl "
    "islower isnan isnanf isnanl isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswctype "
    "iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit jrand48 kill";
/* A string may not be longer. */
static const char reads_on[] =
    "labs lcong48 ldiv link llabs lldiv llogb llogbf llogbl llrint llrintf llrintl llround llroundf llroundl "
    "localeconv localtime_r lrand48 lrint lrintf lrintl lround lroundf lroundl lseek lseek64 lstat lstat64 "
    "malloc_trim mallopt mblen mbrlen mbrtowc mbsinit mbsrtowcs mbstowcs mbtowc memchr memcmp memmem memrchr mkdir "
    "mkdirat mkdtemp mkstemp mktime mrand48 mtx_destroy mtx_init mtx_lock mtx_trylock mtx_unlock nan nanf nanl "
    "nanosleep newlocale ngettext nl_langinfo nrand48 on_exit open open64 open_memstream openat opendir openlog "
    "pathconf pclose perror pipe poll popen posix_fadvise posix_fallocate printf psignal pthread_attr_destroy "
    "pthread_attr_getstacksize pthread_attr_init pthread_attr_setstacksize pthread_cond_broadcast "
    "pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_equal pthread_getspecific pthread_key_create "
    "pthread_key_delete pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock "
    "pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_init pthread_mutexattr_settype "
    "pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock "
    "pthread_self pthread_setspecific pthread_sigmask pthread_spin_destroy pthread_spin_init pthread_spin_lock "
    "pthread_spin_unlock putc putc_unlocked putchar putchar_unlocked putenv puts putw putwc putwchar pwrite pwrite64 "
    "quick_exit rand rand_r random random_r rawmemchr readahead readdir readdir64 realpath regcomp regerror regexec "
    "regfree remove remque rename rewind rewinddir rindex rmdir sched_getcpu sched_yield secure_getenv seed48 select "
    "setbuf setbuffer setenv setlinebuf setlocale setrlimit setstate setvbuf sigaction sigaddset sigaltstack "
    "sigdelset sigemptyset sigfillset sigismember signal sigpending sigprocmask sleep srand srand48 srandom srandom_r "
    "stat stat64 strcasecmp strcasestr strchr strchrnul strcmp strcoll strcspn strerror strerror_r strlen strncasecmp "
    "strncmp strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtof128 strtof32 "
    "strtof32x strtof64 strtof64x strtoimax strtok_r strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq "
    "strverscmp strxfrm swprintf symlink sync sysconf syslog system textdomain time timegm times timespec_get tmpfile "
    "tmpfile64 tmpnam toascii tolower totalorder totalorderf totalorderl totalordermag totalordermagf totalordermagl "
    "toupper towctrans towlower towupper truncate tss_create tss_delete tss_get tss_set ttyname tzset umask uname "
    "ungetc ungetwc unlink unlinkat unsetenv uselocale usleep vdprintf verr verrx verso_native_block_size "
    "verso_native_lost verso_native_refuse vfprintf vfwprintf vprintf vswprintf vwarn vwarnx vwprintf warn warnx "
    "wcrtomb wcscasecmp wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncasecmp wcsncat wcsncmp "
    "wcsncpy wcsnlen wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstok wcstol wcstold wcstoll wcstombs "
    "wcstoul wcstoull wcsxfrm wctob wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf "
    "write";

/* CC_KNOWN_LIBRARY: lib/ has them. */
static const char own[] =
    "__asprintf_chk __divdc3 __divsc3 __divxc3 __fread_chk __getdelim __mempcpy __mempcpy_chk __muldc3 __mulsc3 "
    "__mulxc3 __strdup __strndup __vasprintf_chk asctime asprintf bcopy bsearch cabs cabsf cabsl cacos cacosf cacosh "
    "cacoshf cacoshl cacosl carg cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf catanh catanhf "
    "catanhl catanl ccos ccosf ccosh ccoshf ccoshl ccosl cexp cexpf cexpl cimag cimagf cimagl clog clog10 clog10f "
    "clog10l clogf clogl conj conjf conjl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall csin csinf csinh "
    "csinhf csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctime frexp frexpf frexpl gamma_r "
    "getdelim getline gmtime hcreate hdestroy hsearch l64a lfind lgamma_r lgammaf_r lgammal_r localtime lsearch "
    "memccpy mempcpy modf modff modfl posix_memalign qsort qsort_r realloc reallocarray remquo remquof remquol sincos "
    "sincosf sincosl strdup strndup strtok vasprintf verso_native_posix_memalign verso_native_realloc";

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
                                   {"verso_native_aligned_alloc", "a1"},
                                   {"verso_native_calloc", "a01"},
                                   {"verso_native_free", "f"},
                                   {"verso_native_malloc", "a0"}};

/* CC_KNOWN_WRITES */
static const described writes[] = {{"_ZNSi10_M_extractIdEERSiRT_", "1d"},
                                   {"_ZNSi10_M_extractIfEERSiRT_", "1i"},
                                   {"_ZNSi4readEPcl", "12"},
                                   {"__fgets_chk", "rs"},
                                   {"__pread_chk", "1r"},
                                   {"__read_chk", "1r"},
                                   {"__recv_chk", "1r"},
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
                                   {"fgets", "rs"},
                                   {"fgets_unlocked", "rs"},
                                   {"fread", "0x"},
                                   {"fread_unlocked", "0x"},
                                   {"fscanf", "1f"},
                                   {"gcvt", "2s"},
                                   {"getcwd", "rs"},
                                   {"getentropy", "01"},
                                   {"gethostname", "0s"},
                                   {"getlogin_r", "0s"},
                                   {"getrandom", "0r"},
                                   {"gets", "rs"},
                                   {"getwd", "rs"},
                                   {"pread", "1r"},
                                   {"pread64", "1r"},
                                   {"read", "1r"},
                                   {"readlink", "1r"},
                                   {"recv", "1r"},
                                   {"scanf", "0f"},
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

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Below, at or above zero as `name` comes before, is, or comes after the word that starts at `word`. */
static int compare_word(const char *name, const char *word) {
    size_t length = strcspn(word, " ");
    int order = strncmp(name, word, length);
    return order != 0 ? order : name[length] != '\0';
}

/* Bisects the string; a middle that falls inside a word means that word. */
static bool has_word(const char *words, size_t length, const char *name) {
    size_t low = 0, high = length; /* each at the start of a word, or behind the last */
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

cc_known cc_known_in_table(const char *name) {
    static const struct {
        const char *words;
        size_t length;
        cc_known_class class;
    } plain[] = {{reads, sizeof reads - 1, CC_KNOWN_READS},
                 {reads_on, sizeof reads_on - 1, CC_KNOWN_READS},
                 {own, sizeof own - 1, CC_KNOWN_LIBRARY},
                 {jumps, sizeof jumps - 1, CC_KNOWN_JUMP},
                 {threads, sizeof threads - 1, CC_KNOWN_THREAD}};
    static const struct {
        const described *entries;
        size_t count;
        cc_known_class class;
    } detailed[] = {{memory, COUNT(memory), CC_KNOWN_MEMORY}, {writes, COUNT(writes), CC_KNOWN_WRITES}};
    for (size_t i = 0; i < COUNT(plain); i++)
        if (has_word(plain[i].words, plain[i].length, name))
            return (cc_known){name, plain[i].class, NULL};
    for (size_t i = 0; i < COUNT(detailed); i++) {
        const described *found =
            bsearch(name, detailed[i].entries, detailed[i].count, sizeof(described), compare_described);
        if (found != NULL)
            return (cc_known){name, detailed[i].class, found->how};
    }
    return (cc_known){name, CC_KNOWN_NOT, NULL};
}
