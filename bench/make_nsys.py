#!/usr/bin/env python3
"""Writes a big export of Nsight Systems, for measuring how fast it is read.

usage: make_nsys.py FILE LAUNCHES

A launch makes four rows: an op range of emit_nvtx, the call, the kernel and, one time in four, a
copy; plus a step around every thousand. Two processes, two GPUs, the columns of schema 3.25.
"""

import sqlite3
import sys

KERNEL = (
    "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName "
    "shortName mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX "
    "blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal "
    "gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig qmdBulkReleaseDone "
    "qmdPreexitDone qmdLastCtaDone graphId clusterX clusterY clusterZ clusterSchedulingPolicy "
    "maxPotentialClusterSize maxActiveClusters sharedMemoryRequestedPercentage"
).split()
RUNTIME = "start end eventClass globalTid correlationId nameId returnValue callchainId".split()
MEMCPY = (
    "start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind "
    "deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId "
    "migrationCause graphNodeId virtualAddress copyCount"
).split()
NVTX = "start end eventType rangeId category color text globalTid endGlobalTid textId domainId".split()


def thread(process):
    return (1 << 48) | (100 + process) << 24 | (100 + process)


def create(db, table, columns):
    types = ", ".join(f'"{c}" {"TEXT" if c == "text" else "INTEGER"}' for c in columns)
    db.execute(f"CREATE TABLE {table} ({types})")
    return f"INSERT INTO {table} VALUES ({','.join('?' * len(columns))})"


def kernel(i):
    process, at = i % 2, 10_000 * i
    return (at + 6000, at + 9000 + i % 500, process, 1, 0, 7, i // 2, thread(process) & ~0xFFFFFF,
            100 + i % 200, 100 + i % 200, None, 1, 1, 32, 50 + i % 16, 4, 1, 256, 1, 1, 0, 0, 0,
            250871808, i, 32768, None, 0, None, None, None, None, 0, 0, 0, 1, 0, 0, None)


def call(i):
    return (10_000 * i + 2000, 10_000 * i + 4500, 0, thread(i % 2), i // 2, 1, 0, None)


def copy(i):
    process, at = i % 2, 10_000 * i
    return (at + 500, at + 900, process, 1, 0, 13, i, thread(process) & ~0xFFFFFF,
            1 << (i % 20), 1, None, 1, 2, None, None, None, None, None, None, None, 1)


def op(i):
    return (10_000 * i + 1000, 10_000 * i + 5000, 59, None, None, None,
            f"aten::op{i % 90}, op_id = {i}", thread(i % 2), None, None, 0)


def step(i):
    return (10_000 * i, 10_000 * (i + 1999), 59, None, None, None, f"step {i // 1000}",
            thread(i // 1000 % 2), None, None, 0)


def main(path, launches):
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("PRAGMA synchronous=OFF")
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    names = [(1, "cudaLaunchKernel_v7000")] + [(100 + i, f"void kernel_{i}<float>()") for i in range(200)]
    db.executemany("INSERT INTO StringIds VALUES (?,?)", names)
    db.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
    db.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0')")
    each = range(launches)
    db.executemany(create(db, "CUPTI_ACTIVITY_KIND_RUNTIME", RUNTIME), map(call, each))
    db.executemany(create(db, "CUPTI_ACTIVITY_KIND_KERNEL", KERNEL), map(kernel, each))
    db.executemany(create(db, "CUPTI_ACTIVITY_KIND_MEMCPY", MEMCPY), map(copy, each[::4]))
    insert = create(db, "NVTX_EVENTS", NVTX)
    db.executemany(insert, map(step, each[::1000]))
    db.executemany(insert, map(op, each))
    db.commit()
    db.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
