/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: threads with teams of their own are cancelled at cancellation points, while they compute. */
/* Flags: -pthread */
#define CANCEL_TYPE PTHREAD_CANCEL_DEFERRED
#include "cancelled_anywhere.c"
