#include "catalog.h"

#include <stddef.h>
#include <string.h>

#include "rng.h"

#define CATALOG_SEED 1848

static const char *const category_names[CATALOG_CATEGORIES + 1] = {
	"fiction", "history", "science", "travel", "cooking", "children", "comics", "poetry", "any",
};

void catalog_init(struct catalog *c)
{
	struct rng rng = { .state = CATALOG_SEED };

	for (int i = 0; i < CATALOG_BOOKS; i++) {
		c->books[i].category = rng_below(&rng, CATALOG_CATEGORIES);
		c->books[i].price_cents = 299 + 50 * rng_below(&rng, 120);
	}
}

const struct book *catalog_book(const struct catalog *c, int id)
{
	if (id < 1 || id > CATALOG_BOOKS)
		return NULL;
	return &c->books[id - 1];
}

const char *catalog_category_name(int category)
{
	return category_names[category];
}

int catalog_category_find(const char *name)
{
	for (int i = 0; i <= CATALOG_ANY; i++) {
		if (strcmp(category_names[i], name) == 0)
			return i;
	}
	return -1;
}
