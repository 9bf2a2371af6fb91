# Verso on a fresh Debian machine, by the README's first command. Build it in a clone of the repository:
#     docker build -t verso . && docker run --rm verso grad examples/native/rosenbrock.c:f --at -1.2,1
FROM debian:12
COPY . /verso
WORKDIR /verso
RUN apt-get update -qq && apt-get install -qq --yes --no-install-recommends make git >/dev/null && make demo && make install
ENTRYPOINT ["verso"]
