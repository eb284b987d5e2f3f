/*
 * catalog - the books on sale: ids, categories and prices, made from a fixed seed.
 *
 * Read-only after catalog_init(); any number of threads may read.
 */
#ifndef BOOKSTORE_CATALOG_H
#define BOOKSTORE_CATALOG_H

#define CATALOG_BOOKS	   500
#define CATALOG_CATEGORIES 8
#define CATALOG_ANY	   CATALOG_CATEGORIES /* a rule's category that matches every book */

struct book {
	int category; /* 0 .. CATALOG_CATEGORIES - 1 */
	int price_cents;
};

struct catalog {
	struct book books[CATALOG_BOOKS]; /* book id minus one */
};

void catalog_init(struct catalog *c);

/* The book of an id from 1 to CATALOG_BOOKS, NULL for any other. */
const struct book *catalog_book(const struct catalog *c, int id);

/* "fiction", ..., and "any" for CATALOG_ANY. */
const char *catalog_category_name(int category);

/* The category of a name, -1 when there is none of that name. */
int catalog_category_find(const char *name);

#endif
