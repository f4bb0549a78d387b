# One panel, or several side by side.  `set ylabel ... offset inward,0` keeps a title near long numbers.
set terminal {{terminal}} noenhanced font 'Helvetica,15' background '#ffffff' {{setting}}
set encoding utf8
inward = {{inward}}
# The colours of curves and classes; the last is that of what belongs to no class.
array colour[13] = [0x20639b, 0xd1603d, 0x2a7f62, 0x7b4b94, 0xa67c00, 0x404040, 0xb5446e, 0x5b8c2a, 0x56a8dc, 0xf0a070, \
                    0x3fbfa8, 0xb59adb, 0xb0b0b0]
{{>plots/style.gp}}
{{#several}}
set multiplot
{{/several}}
{{#panels}}
{{#right}}
reset
{{>plots/style.gp}}
set lmargin at screen {{left}}
set rmargin at screen {{right}}
set bmargin at screen {{bottom}}
set tmargin at screen {{top}}
{{/right}}
set title '{{title}}'
{{#is_scree}}
{{>plots/scree.gp}}
{{/is_scree}}
{{#is_curves}}
{{>plots/curves.gp}}
{{/is_curves}}
{{#nodes}}
{{>plots/network.gp}}
{{/nodes}}
{{#is_scores}}
{{>plots/scores.gp}}
{{/is_scores}}
{{/panels}}
{{#several}}
unset multiplot
{{/several}}
