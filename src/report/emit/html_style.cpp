#include "report/emit/html_style.h"

namespace opscope {

std::string_view HtmlStyle() {
  return R"css(
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--ink:#15181e;--soft:#565d6b;--line:#d9dde4;
--accent:#1f5fae;--good:#0b6b46;--warn:#8a4b00;--hatch:#cfd4dc;
--h0:#fdfbec;--h1:#f0e5c5;--h2:#e5cea0;--h3:#ddb67a;--h4:#d69c54;--h5:#cf812b;--h6:#c46600;
--h7:#b24f00;--h8:#9e3900;--h9:#8a2300;--t5:#111318;--t7:#fff;
--c0:#2971c6;--c1:#ea942f;--c2:#19966e;--c3:#cd5394;--c4:#63bfe1;--c5:#c0401f;--c6:#e2cc47;
--c7:#5b4590;--run:#6b7280;--miss:#b3261e;--gap:#e3e6eb}
@media screen and (prefers-color-scheme:dark){:root{--bg:#14171c;--panel:#1c2027;--ink:#e7e9ee;
--soft:#a4abb8;--line:#343a45;--accent:#8ab8ff;--good:#68d3a2;--warn:#f0b45c;--hatch:#3b424e;
--h0:#302321;--h1:#493028;--h2:#643e2d;--h3:#7f4d2f;--h4:#995d2c;--h5:#b27024;--h6:#ca840d;
--h7:#dd9c13;--h8:#ebb633;--h9:#f8d14f;--t5:#fff;--t7:#111318;
--run:#8b93a1;--miss:#f2857d;--gap:#2c323c}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"PingFang SC",
"Microsoft YaHei","Noto Sans CJK SC",sans-serif;font-variant-numeric:tabular-nums}
main,nav{max-width:1180px;margin:0 auto;padding:0 20px}
h1{font-size:24px;line-height:1.25;margin:18px 0 2px;overflow-wrap:anywhere}
h2::first-letter,th::first-letter,dt::first-letter,small::first-letter,caption::first-letter{text-transform:uppercase}
h2{font-size:17px;margin:34px 0 10px;padding-bottom:5px;border-bottom:1px solid var(--line)}
p{margin:6px 0}
a{color:var(--accent)}
.soft{color:var(--soft)}
.code{font-family:ui-monospace,"Cascadia Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",monospace;
font-size:13px;overflow-wrap:anywhere}
input.pick{position:absolute;opacity:0;width:1px;height:1px}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:center;padding-top:12px;font-size:14px}
nav .pick{margin-left:auto;display:flex;gap:4px}
nav label{padding:3px 10px;border:1px solid var(--line);border-radius:6px;cursor:pointer}
#en:checked~nav label[for=en],#zh:checked~nav label[for=zh]{background:var(--accent);
color:var(--bg);border-color:var(--accent)}
#en:focus-visible~nav label[for=en],#zh:focus-visible~nav label[for=zh]{outline:3px solid
var(--warn);outline-offset:2px}
#zh:checked~* [lang|=en]{display:none}
#zh:checked~* [lang|=zh]{display:inline}
.verdict{display:flex;flex-wrap:wrap;gap:14px;margin:16px 0}
.card{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:12px 16px;
flex:1 1 150px;min-width:0}
.card.big{flex:2 1 320px}
.card b{display:block;font-size:21px;line-height:1.3;font-weight:650;overflow-wrap:anywhere}
.card.big b{font-size:34px}
.card small{color:var(--soft);font-size:13px}
.tag{display:inline-block;border-radius:5px;padding:0 8px;font-size:13px;border:1px solid}
.tag.good{color:var(--good)}.tag.warn{color:var(--warn)}
.strip{display:flex;height:34px;border:1px solid var(--line);border-radius:6px;overflow:hidden}
.strip>span{display:block;min-width:2px;padding:6px 8px;font-size:13px;white-space:nowrap;
overflow:hidden;color:#fff}
.strip .layers,.key.layers{background:var(--c0)}
.strip .runtime,.key.runtime{background:var(--run)}
.strip .unmatched,.key.unmatched{background:repeating-linear-gradient(45deg,var(--miss) 0 5px,
var(--bg) 5px 8px)}
.strip .gap,.key.gap{background:var(--gap);color:var(--ink)}
.key{display:inline-block;width:13px;height:13px;border-radius:3px;margin-right:7px;
vertical-align:-1px;border:1px solid var(--line);text-align:center;font-size:10px;line-height:11px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--soft);padding:0 0 6px}
th{font-weight:600;text-align:left;color:var(--soft);border-bottom:1px solid var(--line);
padding:4px 10px 4px 0;vertical-align:bottom}
td{padding:3px 10px 3px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap}
td.w{overflow-wrap:anywhere;min-width:120px}
tbody tr:hover{background:var(--panel)}
.heat td{padding:2px 8px}
.heat th{padding:4px 8px}
.heat thead th{position:sticky;top:0;background:var(--bg)}
.no{color:var(--soft);background:repeating-linear-gradient(45deg,transparent 0 4px,
var(--hatch) 4px 5px)}
.bar{display:block;height:11px;border-radius:3px;background:var(--c0);min-width:1px}
td.b{width:24%;min-width:90px;vertical-align:middle}
.two{display:grid;grid-template-columns:minmax(0,1fr) 260px;gap:24px;align-items:start}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,1fr));gap:0 28px;margin:0}
.facts div{display:flex;gap:12px;border-bottom:1px solid var(--line);padding:3px 0}
.facts dt{color:var(--soft);flex:0 0 42%}
.facts dd{margin:0;overflow-wrap:anywhere;min-width:0}
.ramp{display:flex;flex-wrap:wrap;margin:6px 0 10px;font-size:12px}
.ramp span{padding:2px 8px;min-width:58px;text-align:center}
svg{max-width:100%;height:auto}
svg text{fill:var(--ink);font-size:12px}
svg .on{font-weight:600;text-anchor:middle}
ul{padding-left:20px;margin:6px 0}
footer{margin:36px 0 28px;padding-top:10px;border-top:1px solid var(--line);color:var(--soft);
font-size:13px}
@media screen and (max-width:760px){.two{grid-template-columns:1fr}.facts{grid-template-columns:1fr}}
@media print{nav{display:none}body{font-size:10.5pt;-webkit-print-color-adjust:exact;
print-color-adjust:exact}main{max-width:none;padding:0}h2{break-after:avoid}tr,.card,figure,.two
{break-inside:avoid}thead{display:table-header-group}.heat thead th{position:static}
.facts{grid-template-columns:1fr 1fr;font-size:9pt}.two{grid-template-columns:minmax(0,1fr) 190px}
table{font-size:8.5pt}.scroll{overflow:visible}.card b{font-size:14pt}.card.big b{font-size:20pt}
@page{margin:14mm}}
.h0{background:var(--h0)}.h1{background:var(--h1)}.h2{background:var(--h2)}.h3{background:var(--h3)}
.h4{background:var(--h4)}.h5{background:var(--h5)}.h6{background:var(--h6)}.h7{background:var(--h7)}
.h8{background:var(--h8)}.h9{background:var(--h9)}
.h0,.h1,.h2,.h3,.h4{color:var(--ink)}.h5,.h6{color:#111318}.h7,.h8,.h9{color:var(--t7)}
.c0{background:var(--c0);fill:var(--c0)}.c1{background:var(--c1);fill:var(--c1)}
.c2{background:var(--c2);fill:var(--c2)}.c3{background:var(--c3);fill:var(--c3)}
.c4{background:var(--c4);fill:var(--c4)}.c5{background:var(--c5);fill:var(--c5)}
.c6{background:var(--c6);fill:var(--c6)}.c7{background:var(--c7);fill:var(--c7)}
.cr{background:var(--run);fill:var(--run)}.cm{background:var(--miss);fill:var(--miss)}
.cg{background:var(--gap);fill:var(--gap)}
)css";
}

}  // namespace opscope
