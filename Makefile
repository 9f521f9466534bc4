# Everything is done by ./dev; these names are for those whose fingers type make.
.PHONY: all analyze build test bench format fuzz install
all: build
analyze build test bench format fuzz install:
	@./dev $@
