/* What the disk has left for jobs. */
#include "server/lab/lab_internal.h"

uint64_t lab_free_bytes(lab *self)
{
  return data_free_bytes(&self->data) + store_reserve_bytes(self->store);
}
