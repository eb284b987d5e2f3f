# Thin habits over Meson: build/ is the release binary, build-static/ the one to copy into a container.
PREFIX ?= /usr/local

.PHONY: all static test install clean format
all: build/build.ninja
	ninja -C build

build/build.ninja:
	meson setup build --buildtype=release -Dwerror=false --prefix=$(PREFIX)

static:
	[ -f build-static/build.ninja ] || meson setup build-static --buildtype=release -Dwerror=false -Dstatic=true
	ninja -C build-static assay

test:
	./check

install: all
	meson install -C build --no-rebuild

format:
	tools/format

clean:
	rm -rf build build-static build-asan build-tsan
