/* In a shared library: not differentiated. */
int plain(void);

int plain(void) {
    return 7;
}
