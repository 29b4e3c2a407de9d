/* Blocks of bytes that feeds and viewers share. */
#include <stdlib.h>

#include "api/stream/feed.h"

void block_release(stream_block *block)
{
  if (!block || --block->references > 0) return;
  *block->held -= block->size;
  free(block);
}
