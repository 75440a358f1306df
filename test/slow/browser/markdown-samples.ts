import * as fc from "fast-check";

/** Edge cases of CommonMark and GFM. Each must be rendered or shown as source. */
export const MARKDOWN_SAMPLES: readonly string[] = [
  "&nbsp; &amp; &copy; &AElig; &Dcaron;\n&frac34; &HilbertSpace; &DifferentialD;\n&ClockwiseContourIntegral; &ngE;",
  "&#35; &#1234; &#992; &#0; &#X22; &#XD06; &#xcab; &#87654321; &#abcdef0;",
  "&nbsp &x; &#; &#x; &hi?; &copy &MadeUpEntity;",
  '[foo](/f&ouml;&ouml; "f&ouml;&ouml;")\n\n[foo]: /f&ouml;&ouml; "f&ouml;&ouml;"\n\n``` f&ouml;&ouml;\nfoo\n```',
  "\\!\\\"\\#\\$\\%\\&\\'\\(\\)\\*\\+\\,\\-\\.\\/\\:\\;\\<\\=\\>\\?\\@\\[\\\\\\]\\^\\_\\`\\{\\|\\}\\~",
  "***\n---\n___\n+++\n===\n\n# foo\n## foo\n### foo\n#### foo\n##### foo\n###### foo\n####### foo\n#5 bolt",
  "Foo *bar\nbaz*\n====\n\nFoo\n---\nBar\n---\nBaz",
  "    a simple\n      indented code block\n\n- a\n\n      bbb\n          ccc\n\t\tddd",
  "~~~~\naaa\n~~~\n~~~~\n\n```\n\n> ```\n> aaa\n\nbbb",
  "<table><tr><td>\n<pre>\n**Hello**,\n\n_world_.\n</pre>\n</td></tr></table>",
  "<!-- Foo\n\nbar\n   baz -->\n\n<?php echo '>';\n?>\n\n<!DOCTYPE html>\n\n<![CDATA[\nfunction matchwo(a,b)\n]]>",
  "<details><summary>More</summary>\n\nHidden *text*\n\n</details>\n\n<div hidden>gone</div>",
  "[foo]\n\n[foo]: /url '\ntitle\nline1\n'\n\n[ΑΓΩ]: /φου\n\n[αγω]",
  "> # Foo\n> bar\n> > deeper\n> > > deepest\n\n>\n> foo\n>  ",
  "- foo\n\n      bar\n1.  A paragraph\n    with two lines.\n\n          indented code\n\n    > A block quote.\n\n123456789. ok\n-1. not ok",
  "- [ ] foo\n- [x] bar\n  - [X] baz\n  - [ ] bim",
  "| foo | bar |\n| :-: | --: |\n| baz \\| `x\\|y` | bim | more |\n| one\n\n| abc | def |\n| --- |",
  "~~Hi~~ Hello, ~there~ world! This ~~has a\n\nnew paragraph~~.",
  "www.commonmark.org/help http://commonmark.org <https://a.b?c=d&amp;e> foo@bar.baz mailto:a.b-c_d@a.b xmpp:foo@bar.baz/txt",
  "Here[^1] and[^long] and[^missing].\n\n[^1]: A note.\n[^long]: With\n\n    paragraphs.\n\n[^unused]: Never referred to.",
  '![foo *bar*](train.jpg "train & tracks") ![a][ref] ![[nested]](x)\n\n[ref]: ../pictures/a.png',
  "*foo**bar**baz* **foo*bar*baz** ***foo** bar* _(**foo**)_ *foo [bar*](/url) **a<http://foo.bar/?q=**>",
  "[link [foo [bar]]](/uri) [foo [bar](/uri)](/uri) [a](<b)c>) [a](<b)c [link](foo\\bar) [b](javascript:alert(1))",
  '`foo `` bar` `` ` `` ` b ` `\u00a0b\u00a0` `foo\\`bar` <a href="`">`',
  "foo  \nbar\\\nbaz\n***\nhello\u2028line\u0000nul\u0007bell\u001b[31mred",
  "\ufeff# Mark at the start\r\nwith\rreturns\r\n\r\n- of\r\n- every kind",
  "<script>window.owned=1</script><style>*{display:none}</style><textarea><title>",
  "<img src=x onerror=window.owned=1> <svg/onload=window.owned=1> <a href='javascript:window.owned=1'>x</a>",
];

const PARTS = [
  ...Array.from("*_`~[]()<>!#>-+|&;:\\\"'= \n\t"),
  ...Array.from("ab1é\u00a0\u200b"),
  "\n\n",
  "    ",
  "- [x] ",
  "1. ",
  "```\n",
  "&amp;",
  "&#0;",
  "<div>",
  "</div>",
  "<!--",
  "-->",
  "[^1]",
  "[^1]: ",
  "![",
  "](x)",
  "https://a.b/",
  "| - |\n",
];

/** Documents of random constructs from a fixed seed, to repeat failures. */
export const randomDocuments = (count: number): readonly string[] =>
  fc
    .sample(fc.array(fc.constantFrom(...PARTS), { minLength: 20, maxLength: 400 }), { numRuns: count, seed: 27 })
    .map((parts) => parts.join(""));
