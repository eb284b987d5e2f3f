#!/bin/sh
# The flame graph in a browser, by keys and search. The page's policy lets no script in but its own: the
# one that drives it is put into a copy without that policy.
. "$(dirname "$0")/../lib/tap.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "1..0 # SKIP there is no Chromium"; exit 0; }
. "$(dirname "$0")/../cli/trace/shop.inc"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
dom() { timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" --dump-dom "file://$1" 2>/dev/null; }
drive() { # drive PAGE < SCRIPT: what it left in the page's title
	sed 's/<meta http-equiv[^>]*>//; s#</body>##; s#</html>##' "$1" >"$tmp/driven.html"
	{ echo '<script>'; cat; echo '</script></body></html>'; } >>"$tmp/driven.html"
	dom "$tmp/driven.html" | sed -n 's#.*<title>\(.*\)</title>.*#\1#p'
}
shop >"$tmp/shop.nettrace"
shop_before >"$tmp/before.nettrace"
"$ASSAY" trace export "$tmp/shop.nettrace" -f html -o "$tmp/shop.html"
"$ASSAY" trace export "$tmp/shop.nettrace" -f html -o "$tmp/diff.html" --baseline "$tmp/before.nettrace"

dom "$tmp/shop.html" >"$tmp/dom"
ok "frames are drawn under the page's own policy" "$(grep -o 'role="treeitem"' "$tmp/dom" | wc -l)" = 9

drive "$tmp/shop.html" >"$tmp/said" <<'END'
const key = (k) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
const said = [];
const about = () => said.push(document.getElementById("about").textContent.replace(/ \u2014.*/, ""));
document.querySelector("#graph [tabindex='0']").focus();
key("ArrowDown"); about();
key("ArrowRight"); about();
key("ArrowLeft"); key("ArrowDown"); about();
key("Enter"); said.push(document.activeElement.style.width);
key("Escape"); about();
const search = document.getElementById("search");
search.value = "wait"; search.dispatchEvent(new Event("input"));
said.push(document.getElementById("found").textContent);
said.push([...document.querySelectorAll("#names tbody tr")].filter((x) => !x.hidden).length);
search.value = "("; search.dispatchEvent(new Event("input"));
said.push(document.querySelectorAll(".found").length);
document.title = said.join("|");
END
ok "arrows, zoom and search" "$(cat "$tmp/said")" = "Shop!Shop.Program.Main()|Core!System.Threading.Thread.Start()|Shop!Shop.Cart.PayAsync() async|100%|all|2 frames, 64.50 % of all|1|8"

drive "$tmp/diff.html" >"$tmp/said" <<'END'
const said = [];
const price = () => [...document.querySelectorAll("#graph div")].find((x) => x.title.startsWith("Shop!Shop.Price"));
said.push(price().textContent, price().title.replace(/.*; /, ""), price().style.background.includes("--more"));
said.push([...document.querySelectorAll("#graph div")].some((x) => x.title.includes("Check.All")));
document.getElementById("sides").click();
said.push([...document.querySelectorAll("#graph div")].some((x) => x.title.includes("Check.All")));
document.title = said.join("|");
END
ok "what changed, in words and colours, and what is gone" "$(cat "$tmp/said")" = \
	"▲ Shop.Price.Of()|5.00 % before, 10.00 % now, +5.00 points|true|false|true"
tap_end
