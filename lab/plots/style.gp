set border 3 linecolor '#505050' linewidth 1
set tics nomirror out scale 0.6 textcolor '#303030'
set grid linecolor '#e4e4e4' linetype 1 linewidth 1
set title offset 0,-0.6
set xlabel offset 0,0.7 font ',13'
set xtics offset 0,0.4
