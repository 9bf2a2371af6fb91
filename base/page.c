/* See page.h. The colours of text and tables are CSS variables, so that the dark theme sets them in one place. */
#include "base/page.h"

static const char shared_style[] =
    ":root{color-scheme:light dark;--ink:#1d2530;--soft:#5a6572;--rule:#dfe3e8;--page:#fff}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e8ed;--soft:#9ba7b4;--rule:#333c47;--page:#12161b}}\n"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\n"
    "main{max-width:76rem;margin:0 auto;padding:1.5rem}\n"
    "h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}\n"
    ".lead{color:var(--soft);margin:.25rem 0 1rem}\n"
    ".columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 3rem}\n"
    "figure{margin:0}figure svg{display:block;max-width:100%;height:auto}\n"
    "table{border-collapse:collapse;margin:.5rem 0}\n"
    "th,td{padding:.3rem 1.2rem .3rem 0;text-align:left;border-bottom:1px solid var(--rule);font-weight:400}\n"
    "td,thead th+th{text-align:right;font-variant-numeric:tabular-nums}thead th{color:var(--soft)}\n"
    "td:last-child,th:last-child{padding-right:0}\n"
    ".key{list-style:none;padding:0;margin:0}.key li{display:flex;gap:.7rem;margin:.25rem 0}\n"
    ".key svg{flex:none;margin-top:.15rem}\n";

void verso__page_begin(verso__text *text) {
    verso__text_string(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n");
    verso__text_string(text, shared_style);
}

void verso__page_title(verso__text *text) {
    verso__text_string(text, "</style>\n<title>Verso ");
}

void verso__page_main(verso__text *text) {
    verso__text_string(text, "</title>\n</head>\n<body>\n<main>\n");
}

void verso__page_end(verso__text *text) {
    verso__text_string(text, "</main>\n</body>\n</html>\n");
}
