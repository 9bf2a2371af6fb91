/* Implements inputs.h. */
#include "cc/driver/inputs.h"

#include <string.h>

typedef struct known {
    const char *name;
    driver_input input;
} known;

static driver_input find(const known *list, const char *name, driver_input otherwise) {
    for (; list->name != NULL; list++)
        if (strcmp(list->name, name) == 0)
            return list->input;
    return otherwise;
}

static driver_input by_language(const char *language) {
    static const known languages[] = {
        {"c", DRIVER_INPUT_SOURCE},
        {"cpp-output", DRIVER_INPUT_SOURCE},
        {"c++", DRIVER_INPUT_SOURCE},
        {"c++-cpp-output", DRIVER_INPUT_SOURCE},
        {"objective-c", DRIVER_INPUT_SOURCE},
        {"objective-c-cpp-output", DRIVER_INPUT_SOURCE},
        {"objective-c++", DRIVER_INPUT_SOURCE},
        {"objective-c++-cpp-output", DRIVER_INPUT_SOURCE},
        {"ir", DRIVER_INPUT_SOURCE},
        {"f95", DRIVER_INPUT_FORTRAN},
        {"f95-cpp-input", DRIVER_INPUT_FORTRAN},
        {NULL, 0},
    };
    if (strstr(language, "header") != NULL)
        return DRIVER_INPUT_HEADER;
    return find(languages, language, DRIVER_INPUT_FOREIGN);
}

static driver_input by_ending(const char *ending) {
    static const known endings[] = {
        {"c", DRIVER_INPUT_SOURCE},     {"i", DRIVER_INPUT_SOURCE},
        {"cc", DRIVER_INPUT_SOURCE},    {"cp", DRIVER_INPUT_SOURCE},
        {"cxx", DRIVER_INPUT_SOURCE},   {"cpp", DRIVER_INPUT_SOURCE},
        {"c++", DRIVER_INPUT_SOURCE},   {"C", DRIVER_INPUT_SOURCE},
        {"CC", DRIVER_INPUT_SOURCE},    {"CPP", DRIVER_INPUT_SOURCE},
        {"CXX", DRIVER_INPUT_SOURCE},   {"ii", DRIVER_INPUT_SOURCE},
        {"m", DRIVER_INPUT_SOURCE},     {"mi", DRIVER_INPUT_SOURCE},
        {"mm", DRIVER_INPUT_SOURCE},    {"M", DRIVER_INPUT_SOURCE},
        {"mii", DRIVER_INPUT_SOURCE},   {"h", DRIVER_INPUT_HEADER},
        {"hh", DRIVER_INPUT_HEADER},    {"H", DRIVER_INPUT_HEADER},
        {"hp", DRIVER_INPUT_HEADER},    {"hpp", DRIVER_INPUT_HEADER},
        {"hxx", DRIVER_INPUT_HEADER},   {"h++", DRIVER_INPUT_HEADER},
        {"s", DRIVER_INPUT_FOREIGN},    {"S", DRIVER_INPUT_FOREIGN},
        {"sx", DRIVER_INPUT_FOREIGN},   {"asm", DRIVER_INPUT_FOREIGN},
        {"ll", DRIVER_INPUT_SOURCE},    {"bc", DRIVER_INPUT_SOURCE},
        {"f", DRIVER_INPUT_FORTRAN},    {"for", DRIVER_INPUT_FORTRAN},
        {"f90", DRIVER_INPUT_FORTRAN},  {"f95", DRIVER_INPUT_FORTRAN},
        {"F", DRIVER_INPUT_FORTRAN},    {"F90", DRIVER_INPUT_FORTRAN},
        {"F95", DRIVER_INPUT_FORTRAN},  {"f03", DRIVER_INPUT_FORTRAN},
        {"f08", DRIVER_INPUT_FORTRAN},  {"F03", DRIVER_INPUT_FORTRAN},
        {"F08", DRIVER_INPUT_FORTRAN},  {"FOR", DRIVER_INPUT_FORTRAN},
        {"fpp", DRIVER_INPUT_FORTRAN},  {"FPP", DRIVER_INPUT_FORTRAN},
        {"cu", DRIVER_INPUT_FOREIGN},   {"hip", DRIVER_INPUT_FOREIGN},
        {"cl", DRIVER_INPUT_FOREIGN},   {"cppm", DRIVER_INPUT_FOREIGN},
        {"c++m", DRIVER_INPUT_FOREIGN}, {"ccm", DRIVER_INPUT_FOREIGN},
        {"cxxm", DRIVER_INPUT_FOREIGN}, {"ixx", DRIVER_INPUT_FOREIGN},
        {"pcm", DRIVER_INPUT_FOREIGN},  {"ast", DRIVER_INPUT_FOREIGN},
        {"ifs", DRIVER_INPUT_FOREIGN},  {NULL, 0},
    };
    return find(endings, ending, DRIVER_INPUT_LINKED);
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

driver_input driver_input_of(const char *path, const char *language) {
    if (language != NULL)
        return by_language(language);
    const char *dot = strrchr(last_part(path), '.');
    return dot == NULL ? DRIVER_INPUT_LINKED : by_ending(dot + 1);
}

bool driver_input_reads_headers(const char *path, const char *language) {
    driver_input input = driver_input_of(path, language);
    if (input == DRIVER_INPUT_LINKED || input == DRIVER_INPUT_HEADER)
        return input == DRIVER_INPUT_HEADER;
    const char *word = language != NULL ? language : strrchr(path, '.') + 1;
    if (input == DRIVER_INPUT_SOURCE)
        return strcmp(word, "ll") != 0 && strcmp(word, "bc") != 0 && strcmp(word, "ir") != 0;
    return strcmp(word, "assembler-with-cpp") == 0 || strcmp(word, "S") == 0 || strcmp(word, "sx") == 0;
}

const char *driver_base_name(driver_words *kept, const char *path) {
    const char *name = last_part(path);
    const char *dot = strrchr(name, '.');
    return driver_words_add_part(kept, name, dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name));
}
