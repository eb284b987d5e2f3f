#include "convert/starter.h"

#include "starter_js.h"

const char *convert_starter(void)
{
	return starter_js;
}
