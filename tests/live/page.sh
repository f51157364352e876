#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTML page in a browser: no error in its console, each link has a target, nothing is wider than the window, and the first
# cause has its line, array and remedy, in narrow and wide windows, light and dark.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

browser=$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome) ||
	{ echo "reason: there is no Chromium"; echo "skip page"; exit 0; }
"$memsearch" list sensors | grep -q "^accesses  *yes" || { echo "reason: accesses cannot be recorded here"; echo "skip page"; exit 0; }

# What the page has after its script: a copy of it says so itself. It is in a frame, as windows of Chromium have 500 pixels at least.
cat > "$scratch/probe" <<'END'
<script>
{
	const links = [...document.querySelectorAll('a[href]')].map(link => link.getAttribute('href'));
	const broken = links.filter(href => !href.startsWith('#') || !document.getElementById(href.slice(1)));
	const say = (name, value) => parent.document.body.insertAdjacentText('beforeend', `\nprobe ${name}: ${value}\n`);
	say('links', links.length > 10);
	say('broken', broken.join(' ') || 'none');
	say('wide', document.documentElement.scrollWidth > innerWidth);
	say('width', innerWidth);
	say('background', getComputedStyle(document.body).backgroundColor);
	say('cause', document.querySelector('.cause')?.innerText.replace(/\s+/g, ' ').slice(0, 400));
	say('writes', document.querySelectorAll('#touch .pictures svg').length);
	say('cell', document.querySelector('.heat td a.is')?.getAttribute('href'));
	document.querySelector('input[value=bytes]').click();
	say('bytes', document.querySelector('.heat td a').textContent);
	const tree = document.querySelector('.tree'), first = tree.querySelector('.row');
	const press = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
	say('proven', tree.querySelector('[data-state=yes] .row').innerText.replace(/\s+/g, ' '));
	first.focus();
	press('ArrowDown');
	say('moved', document.activeElement !== first && document.activeElement.className === 'row' && tree.querySelectorAll('[tabindex="0"]').length === 1);
	press('Home');
	press('ArrowLeft');
	say('closed', document.activeElement === first && !first.parentElement.open);
	const no = document.querySelector('#search input[value=no]'), left = () => tree.querySelectorAll('li[data-state=no]:not([hidden])').length, all = left();
	no.click();
	say('filtered', all > 0 && [...tree.querySelectorAll('li[data-state=no]:not([hidden])')].every(one => one.querySelector('li:not([hidden])')) && left() < all);
}
</script>
END
# PAGE WIDTH SCHEME: what the browser says of it, in $scratch/said; 0 is dark, 1 light.
look() {
	{
		echo "<!DOCTYPE html><meta name=\"color-scheme\" content=\"light dark\"><iframe width=\"$2\" height=\"800\" srcdoc=\""
		cat "$1" "$scratch/probe" | sed 's/&/\&amp;/g; s/"/\&quot;/g'
		echo '"></iframe>'
	} > "$scratch/look.html"
	timeout -k 1 60 "$browser" --headless --no-sandbox --disable-gpu --blink-settings=preferredColorScheme=$3 --window-size=1400,900 --enable-logging=stderr --dump-dom \
		"file://$scratch/look.html" > "$scratch/dom" 2> "$scratch/console" || wrong "the browser fails: $(tail -n 3 "$scratch/console")"
	grep -i 'console\|refused' "$scratch/console" && wrong "the console has messages"
	sed -n 's/^probe //p' "$scratch/dom" > "$scratch/said"
}
says() {       # TEXT
	grep -q -- "$1" "$scratch/said" || wrong "$2: not '$1': $(cat "$scratch/said")"
}

source=$root/tests/live/programs/page_columns.c
$CC -O1 -g -fopenmp -o "$scratch/columns" "$source" 2> "$scratch/errors" || wrong "does not build: $(cat "$scratch/errors")"
"$memsearch" run --quiet --overhead 1000% --page-writes -o "$scratch/columns.ms" -- "$scratch/columns" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
(cd "$scratch" && "$memsearch" report --html columns.ms) 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
for width in 400 1280; do
	for scheme in 0 1; do
		look "$scratch/columns.html" $width $scheme
		says '^links: true' $width
		says '^broken: none' $width
		says '^wide: false' $width
		says "^width: $width" $width
		says "^background: $([ $scheme = 0 ] && echo 'rgb(20, 23, 26)' || echo 'rgb(255, 255, 255)')" $width
		says "^cause: 1\. grid.* at page_columns.c:$(line_of "$source" columns).*Try:" $width
		says '^writes: 1' $width
		says '^cell: #c1-1' $width
		says '^bytes: .*iB' $width
		says '^proven: ✓ yes .* · after ' $width
		says '^moved: true' $width
		says '^closed: true' $width
		says '^filtered: true' $width
	done
done
# Names that are HTML.
cp "$source" "$scratch/<b>&\"a.c"
$CC -O1 -g -fopenmp -o "$scratch/odd" "$scratch/<b>&\"a.c" || wrong "does not build with an odd name"
"$memsearch" run --quiet --overhead 1000% -o "$scratch/odd.ms" -- "$scratch/odd" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
"$memsearch" report --html "$scratch/odd.html" "$scratch/odd.ms" 2> "$scratch/errors"
look "$scratch/odd.html" 400 1
says '^broken: none' odd
says '^cause: 1\. grid.* at &lt;b&gt;&amp;"a.c:' odd
# A source file that is newer than the program.
cp "$source" "$scratch/later.c" && $CC -O1 -g -fopenmp -o "$scratch/later" "$scratch/later.c" && touch -d '+1 hour' "$scratch/later.c"
"$memsearch" run --quiet --overhead 1000% -o "$scratch/later.ms" -- "$scratch/later" > "$scratch/out" 2> "$scratch/errors" || wrong "status $?: $(cat "$scratch/errors")"
"$memsearch" report --html "$scratch/later.html" "$scratch/later.ms" 2> "$scratch/errors"
look "$scratch/later.html" 1280 1
says '^cause: .*Source of later.c:.*: not there, or changed since the program was built' later
check page
