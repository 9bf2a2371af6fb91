/* Marks what the shared library shows; everything else is hidden. */
#ifndef VERSO_EXPORT_H
#define VERSO_EXPORT_H

#if defined(__GNUC__)
#define VERSO_API __attribute__((visibility("default")))
#else
#define VERSO_API
#endif

#endif
