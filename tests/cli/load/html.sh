# k6/html: selections, elements and forms of a page. What is expected is written beside each call.
cat > script.js <<'JS'
import html, { parseHTML } from 'k6/html';

export const options = { iterations: 1 };

const PAGE = `<!DOCTYPE html>
<html><head><title>Plum &amp; Co</title><link rel="alternate next"></head>
<body class="a  b" data-item-id="7" data-on="true" data-list='[1,"x"]' data-odd="7.0" data-bad="{x">
<h1 id="top">Plums</h1>
<p class="lead">one <b>bold</b></p>
<!-- a note -->
<p lang="de-AT">zwei</p>
<ul id="menu"><li>1</li><li class="on">2</li><li>3</li><li class="on last">4</li></ul>
<form id="f" action="/go?x=1" method="POST">
 <input name="user" value="a b">
 <input type="checkbox" name="box" checked="checked">
 <input type="checkbox" name="none">
 <input type="submit" name="send" value="Go">
 <input name="off" value="1" disabled="disabled">
 <select name="one"><option value="x">X<option selected>Y &amp; Z</select>
 <select name="many" multiple><option selected>1<option>2<option selected value="three">3</select>
 <textarea name="note">hi</textarea>
 <label id="l1" for="btn">L</label><label id="l2">M <button id="btn" formmethod="post">B</button></label>
</form>
<table><tfoot><tr id="foot"></tr></tfoot><tr id="r1"><td>a</td><td id="c">b</td></tr><tr id="r2"></tr></table>
<a id="a1" href="https://me:pw@plum.test:444/p/q?s=1#end" rel="x y">A</a>
<a id="a2" href="http://plum.test:80">B</a>
<progress max="100" value="70"></progress><svg id="s"><path d="x"/></svg>
</body></html>`;

let number = 0;
function same(name, got, want) {
  number++;
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) console.error(`${name}: got ${g}, expected ${w}`);
}
function fails(name, fn) {
  number++;
  try { fn(); console.error(`${name}: no exception`); } catch (e) { }
}
const ids = (s) => s.map((i, e) => e.attr('id') || e.text());

function traversal(d) {
  const li = d.find('li'), on = d.find('.on');
  same('find', ids(li), ['1', '2', '3', '4']);
  same('find of a selection', ids(d.find('ul').find(on)), ['2', '4']);
  same('not a selector', d.find('li:first').size(), 0);
  same('add', ids(on.add('h1').add(on)), ['2', '4', 'top']);
  same('children', d.find('#menu').children('.on').size(), 2);
  same('contents', d.find('.lead').contents().size(), 2);
  same('parent', ids(on.parent()), ['menu']);
  same('parents', d.find('b').parents().map((i, e) => e.get(0).nodeName()), ['p', 'body', 'html']);
  same('parentsUntil', d.find('b').parentsUntil('body').size(), 1);
  same('closest', ids(on.closest('ul')), ['menu']);
  same('next', ids(on.next()), ['3']);
  same('nextAll', ids(d.find('li').eq(0).nextAll('.on')), ['2', '4']);
  same('nextUntil', ids(li.eq(0).nextUntil('.last')), ['2', '3']);
  same('nextUntil of a selection', ids(li.eq(0).nextUntil(d.find('.last'), '.on')), ['2']);
  same('prev', ids(li.last().prev()), ['3']);
  same('prevAll', ids(li.eq(2).prevAll()), ['2', '1']);
  same('prevUntil', ids(li.last().prevUntil(null, '.on')), ['2']);
  same('siblings', ids(on.first().siblings()), ['1', '3', '4']);
  same('filter', ids(li.filter('.on')), ['2', '4']);
  same('filter by function', ids(li.filter((i, e) => e.text() > 1 && i < 3)), ['2', '3']);
  same('not', ids(li.not(on)), ['1', '3']);
  same('not of an element', ids(li.not(li.get(0))), ['2', '3', '4']);
  same('has', ids(d.find('p').has('b')), ['one bold']);
  same('is', [li.is('.on'), li.is('p'), li.is(on), li.is((i) => i === 3)], [true, false, true, true]);
  same('eq', [li.eq(-1).text(), li.eq(9).size()], ['4', 0]);
  same('slice', [ids(li.slice(1, -1)), ids(li.slice(-2))], [['2', '3'], ['3', '4']]);
  same('end', ids(li.filter('.on').end()), ['1', '2', '3', '4']);
  same('index', [on.index(), on.index('li'), li.index(on.get(1)), li.index(on)], [1, 1, 3, 1]);
  same('get', [li.get().length, li.get(2).textContent(), li.get(9) === undefined], [4, '3', true]);
  same('toArray', li.toArray().map((s) => s.text()), ['1', '2', '3', '4']);
  same('map gives any value', li.slice(0, 2).map((i, e) => ({ n: +e.text() })), [{ n: 1 }, { n: 2 }]);
  fails('each without a function', () => li.each(''));
  fails('an exception in each()', () => li.each(() => { throw new Error('x'); }));
  fails('find without a selector', () => li.find());
}

function selectors(d) {
  const n = (s) => d.find(s).size();
  same('attributes', [n('[id]'), n('[id=top]'), n('[id^=a]'), n('[rel~=y]'), n('[lang|=de]'), n('[id$="2"]'),
    n('[id*=en]'), n('li[class!=on]'), n('[ID="TOP" i]')], [13, 1, 2, 1, 1, 3, 1, 3, 1]);
  same('combinators', [n('ul > li + li'), n('ul li ~ li.last'), n('body p, h1'), n('html b'), n('ul b')],
    [3, 1, 3, 1, 0]);
  same('places', [ids(d.find('li:nth-child(2n+1)')), ids(d.find('li:nth-child(-n+2)')),
    ids(d.find('li:nth-last-child(1)')), ids(d.find('li:first-child, li:last-child')), n('p:nth-of-type(2)'),
    n('b:only-child')], [['1', '3'], ['1', '2'], ['4'], ['1', '4'], 1, 1]);
  same('pseudo-classes', [ids(d.find('li:not(.on)')), n('p:has(b)'), n('p:contains("BOLD")'),
    n('p:containsown("bold")'), n(':root'), n(':checked'), n('form :disabled'), n('tr:empty'), n('p:lang(de)')],
  [['1', '3'], 1, 1, 0, 1, 4, 1, 2, 1]);
  fails('regular expressions', () => d.find('p:matches(x)'));
}

function values(d) {
  same('text', d.find('title').text(), 'Plum & Co');
  same('html', d.find('title').html() + d.find('.lead').html(), 'Plum &amp; Coone <b>bold</b>');
  same('attr', [d.find('h1').attr('id'), d.find('h1').attr('x', 'y'), d.find('h9').attr('id') === undefined],
    ['top', 'y', true]);
  same('data', d.find('body').data(),
    { itemId: 7, on: true, list: [1, 'x'], odd: '7.0', bad: '{x' });
  same('one of data', [d.find('body').data('itemId'), d.find('body').data('item-id')], [7, 7]);
  same('val', d.find('[name]').map((i, e) => e.val()),
    ['a b', 'on', 'on', 'Go', '1', 'Y &amp; Z', ['1', 'three'], 'hi']);
  same('serialize', d.find('#f').serialize(),
    'box=on&many=1&many=three&note=hi&one=Y+%26amp%3B+Z&user=a+b');
  same('serializeArray', d.find('#f').serializeArray().slice(0, 2),
    [{ name: 'user', value: 'a b' }, { name: 'box', value: 'on' }]);
  same('serializeObject', Object.keys(d.find('[name=user]').serializeObject()), ['user']);
}

function elements(d) {
  const el = (s) => d.find(s).get(0), body = el('body');
  same('names', [body.nodeName(), body.nodeType(), body.parentNode().parentNode().nodeName(),
    el('.lead').firstChild().nodeName(), body.ownerDocument().nodeType()], ['body', 1, '#document', '#text', 9]);
  same('texts', [el('.lead').firstChild().nodeValue(), el('b').textContent(), el('.lead').innerHTML()],
    ['one ', 'bold', 'one <b>bold</b>']);
  same('classes', [body.classList(), body.className(), el('h1').className() === undefined],
    [['a', 'b'], 'a  b', true]);
  same('attributes', [el('h1').attributes().id.value, el('h1').getAttributeNode('id').name,
    el('h1').hasAttribute('x'), el('h1').hasAttributes(), el('li').hasAttributes()],
  ['top', 'id', false, true, false]);
  same('relatives', [el('ul').childElementCount(), el('ul').lastElementChild().textContent(),
    el('h1').nextElementSibling().className(), el('ul').children().length, el('.lead').childNodes().length],
  [4, '4', 'lead', 4, 2]);
  same('comparison', [body.contains(el('h1')), body.contains(body), el('h1').isSameNode(el('#top')),
    el('li').isEqualNode(el('li:last-child'))], [true, false, true, false]);
  same('queries', [body.querySelector('.on').textContent(), body.querySelectorAll('li').length,
    body.getElementsByTagName('p').length, body.getElementsByClassName('on').length, body.matches('.a')],
  ['2', 4, 2, 2, true]);
  same('namespaces', [el('#s').namespaceURI(), el('#s').isDefaultNamespace()], ['http://www.w3.org/2000/svg', false]);
  same('toString', [`${body}`, `${el('.lead').firstChild()}`], ['[object html.Node]', '[object #text]']);
}

function typed(d) {
  const el = (s) => d.find(s).get(0), a = el('#a1');
  same('link', [a.protocol(), a.host(), a.port(), a.pathname(), a.search(), a.hash(), a.username(), a.password(),
    a.origin(), a.relList(), el('#a2').host()],
  ['https', 'plum.test:444', '444', '/p/q', '?s=1', '#end', 'me', 'pw', 'https://plum.test:444', ['x', 'y'], 'plum.test']);
  same('form', [el('#f').method(), el('#f').action(), el('#f').enctype(), el('#f').length()],
    ['post', '/go?x=1', 'application/x-www-form-urlencoded', 9]);
  same('button', [el('#btn').type(), el('#btn').form().id(), el('#btn').formMethod(), el('#btn').labels().map((l) => l.id())],
    ['submit', 'f', 'post', ['l2', 'l1']]);
  same('label', [el('#l1').control().id(), el('#l2').control().id()], ['btn', 'btn']);
  same('input', [el('[name=box]').type(), el('[name=box]').checked(), el('[name=user]').type(), el('[name=user]').maxLength()],
    ['checkbox', true, 'text', -1]);
  same('select', [el('[name=one]').selectedIndex(), el('[name=one]').value(), el('[name=many]').selectedOptions().length,
    el('[name=many]').type()], [1, 'Y & Z', 2, 'select-multiple']);
  same('table', [el('table').rows().map((r) => r.id()), el('#r2').rowIndex(), el('#c').cellIndex(),
    el('table').tFoot().nodeName()], [['r1', 'r2', 'foot'], 1, 1, 'tfoot']);
  same('progress', [el('progress').position(), el('progress').max()], [0.7, 100]);
  same('other elements have none of these', typeof el('h1').href, 'undefined');
}

export default function () {
  const d = parseHTML(PAGE);
  traversal(d);
  selectors(d);
  values(d);
  elements(d);
  typed(d);
  same('both ways to import', html.parseHTML('<i>x</i>').find('i').html(), 'x');
  same('the missing is added', parseHTML('x').find('html > body').html(), 'x');
  same('names are lower case', parseHTML('<Buckets><Name>n</Name></Buckets>').find('Buckets').children().get(0).nodeName(), 'name');
  fails('a page too deep', () => parseHTML('<div>'.repeat(3000)));
  console.log(`${number} compared`);
}
JS
"$ASSAY" load -q --no-summary script.js 2>&1 | sed "s/^time=[^ ]* //"
