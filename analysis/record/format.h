/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_FORMAT_H
#define MEMSEARCH_RECORD_FORMAT_H

/*
 * The bytes of a record; all numbers little-endian. Varints are LEB128: seven bits a byte, lowest
 * first.
 *
 *     header  | magic 8 | version u32 | pid u32 | created ns u64 | host u32 | CRC-32C of these 28 |
 *     entry   | payload bytes u32 | type u32 | CRC-32C of both and the payload | payload |
 *     entry   …
 *
 * Payloads (protected by the CRC; lengths inside are trusted only up to the payload's end):
 *
 *     NAMES         list id, number, strings      values of an enumeration by this writer's numbers
 *     STRINGS       strings                       numbered on from the last; rows refer to them by
 *                                                 number + 1, 0 is NULL
 *     HEAD          one row                       struct run without its tables
 *     SHRINK        table id, rows                the table has only this number of rows from here
 *                                                 on
 *     16 … 63       rows in all, {skip, bytes, row} …   of that table; `skip` rows stay as they are
 *     MEASUREMENTS  rows in all, columns          see columns.h (the table of id 18)
 *     END           nothing                       the run ended normally
 *     TRACE         a piece of a trace            analysis/trace/trace_pieces.h
 *     PHASE         number u32, record            of another phase of the program, without a trace
 *
 * A row holds its fields in the order of fields.c. A reader sets fields that are missing at the end
 * to 0, and skips unknown fields and entries of unknown type. Any other change raises
 * RECORD_VERSION.
 */
#define RECORD_MAGIC "\x8aMSrec\r\n" /* first byte not ASCII; CR LF show a transfer as text */
#define RECORD_VERSION 1u

#define RECORD_HEADER_BYTES 32
#define RECORD_ENTRY_BYTES 12

enum record_entry {
	RECORD_NAMES = 1,
	RECORD_STRINGS = 2,
	RECORD_HEAD = 3,
	RECORD_SHRINK = 4,
	RECORD_END = 5,
	RECORD_TRACE = 6,
	RECORD_PHASE = 7,
	RECORD_TABLES = 16, /* and above: run_tables[].id */
	RECORD_MEASUREMENTS = 18,
};

#endif
