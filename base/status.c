/* Names and texts of the status codes, generated from the list in the public header, and verso__fail, which
 * creates every error. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *verso_status_name(verso_status status) {
    switch (status) {
#define NAME(name, code, text) \
    case VERSO_STATUS_##name: return #name;
        VERSO_STATUS_LIST(NAME)
#undef NAME
    }
    return "UNKNOWN";
}

const char *verso_status_text(verso_status status) {
    switch (status) {
#define TEXT(name, code, text) \
    case VERSO_STATUS_##name: return text;
        VERSO_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

verso_status verso__fail(verso_error *error, verso_status status, const char *format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        if (vsnprintf(error->message, sizeof error->message, format, arguments) < 0)
            error->message[0] = '\0';
        va_end(arguments);
    }
    return status;
}
