# Turns data/aten_schemas.txt into a list of C++ strings, one a line; lines with # are remarks:
#   cmake -DINPUT=aten_schemas.txt -DOUTPUT=aten_schemas.inc -P schemas_table.cmake
cmake_policy(VERSION 3.25)
file(READ ${INPUT} text)
string(REGEX REPLACE "#[^\n]*\n" "" text "${text}")
string(REGEX REPLACE "([^\n]+)\n" "\"\\1\",\n" text "${text}")
file(WRITE ${OUTPUT} "// Generated from data/aten_schemas.txt.\n${text}")
