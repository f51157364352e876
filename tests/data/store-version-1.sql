-- A store of version 1 with one run: what a first memsearch wrote. Version 2 added sensors, leaves of hot spots,
-- titles of nodes and restarts. Never edited.
PRAGMA application_id = 1297314403;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE "dropped" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "what" TEXT, "why" TEXT, "count" INTEGER, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "dropped" VALUES(1,0,'calc2','calc2',2973653870070190);
INSERT INTO "dropped" VALUES(1,1,'naïve — größer','ns',14063057107971);
INSERT INTO "dropped" VALUES(1,2,'naïve — größer','=)\.aU#]\o1_g5-.DduYneDO7bLd7!6_t*Uq3VXwO+5Ph3-+?7G`fq!d<CnsHc^L-]-ho+s&!Y3K1sS-\)fbJ;U_CBAH$ZQVHO?5?F?>tzR#RWyD/mX^s]5VDR;#''6yWmnvHqkof_]5,_WJOE,8aMy!',2240);
INSERT INTO "dropped" VALUES(1,3,'calc2','''; DROP TABLE runs; --',2);
CREATE TABLE "hotspots" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "region" INTEGER, "metric" TEXT, "address_module" INTEGER, "address_offset" INTEGER, "is_return" INTEGER, "count" INTEGER, "share" REAL, "source_function" TEXT, "source_file" TEXT, "source_line" INTEGER, "source_approximate" INTEGER, "source_module" TEXT, "source_offset" INTEGER, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "hotspots" VALUES(1,0,3,'voluntary_switches',2,26426556,1,33453726341,7.77790828908980630407e-02,'\^1/swH.^fg6gcUcK0WcX%@IM`<>nxqeeh_owB2ReFopKiBnFyd\A4C?=h#Z''q4DhMN8eM/dUco$]^JhqmP*1Cg[:p`pL0VjPEf=U?]DPgE?tz`m:c7d,49`D9U4j_tP?NsDXJn@B=],[>T>!OVV5''e>^-+xQ5kZrK#D','Io,pPo#ywQKOu%w[qGgU9*h4coB2NnwU]C_JyLy)dvuI49<xi/W6&ICD%PJZGuq8NYw>aS?;d1_/`Qv]F6?ILc''Y/?k]A\6T\5U8m\!/qZyEu:_@L`g,]Q5Hh*3XE3[o\3us;)tWL$If1$nFt6E3W9=OQ;4+',1012373010,0,'swim.c',1716450566);
CREATE TABLE "measurements" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "region" INTEGER, "thread" INTEGER, "metric" TEXT, "count" INTEGER, "sum" REAL, "min" REAL, "max" REAL, "sum_squares" REAL, "phases" INTEGER, "observed_ns" REAL, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "measurements" VALUES(1,0,0,0,'block_reads',919,0.1,9462308608499.32,1.96836712904243683885e-02,8.60192910044453584728e-02,11,1.0);
INSERT INTO "measurements" VALUES(1,1,0,7,'iterations',2878419058977,1.70923224793868913651e-02,5659766382.0,9e999,7.3392117581520614402e+17,-2,8.5053665481159626549e-02);
INSERT INTO "measurements" VALUES(1,2,0,2618349975,'system_time',18923012,0.0,0.0352028726417704,4616299852.0,451191632.0,84,8086401140.0);
CREATE TABLE "missing" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "region" INTEGER, "metric" TEXT, "why" TEXT, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "missing" VALUES(1,0,4294967295,'samples','MS_MISSING_NOT_PERMITTED');
INSERT INTO "missing" VALUES(1,1,2,'cpu_time','MS_MISSING_NO_EVENT');
INSERT INTO "missing" VALUES(1,2,2,'major_faults','MS_PRESENT');
INSERT INTO "missing" VALUES(1,3,1,'iterations','MS_MISSING_BUDGET');
INSERT INTO "missing" VALUES(1,4,4294967295,'tasks','MS_MISSING_NOT_SUPPORTED');
CREATE TABLE "modules" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "path" TEXT, "build_id" TEXT, "low" INTEGER, "high" INTEGER, "bias" INTEGER, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "modules" VALUES(1,0,'db(c":Ef>x&yW\''PjtFmdvY7u5N>-U%QZXDl3pP+vV,s5&,I4SOE8(ef(KowLJ`k:A$`3hi$yW>_m)?=LE75/f''3;f)Q+S''fjU9z+a&=(ws./%!^-<EQ6YG+nb*KpWv:YO7,f''uglwIFD0Jw@SdT!_sl''@G@M"BK6-ZleNm%F.',NULL,175459689,3427731,243493375);
INSERT INTO "modules" VALUES(1,1,'ns',NULL,1997839430628,-2,208360968);
INSERT INTO "modules" VALUES(1,2,'''; DROP TABLE runs; --','swim.c',33512175737,80145344,0);
CREATE TABLE "nodes" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "id" INTEGER, "parent" INTEGER, "state" TEXT, "property" TEXT, "region" INTEGER, "thread" INTEGER, "confidence" REAL, "severity" REAL, "severity_low" REAL, "severity_high" REAL, "rung" TEXT, "missing" TEXT, "missing_metric" TEXT, "experiments" INTEGER, "explanation" TEXT, "advice" TEXT, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "nodes" VALUES(1,0,0,4294967295,'active',NULL,0,2746990444,1.30472751282486862877e+43,5.29867810877384377149e-07,71327447.0,2.72319896659938900929e-02,'simulated','MS_MISSING_NOT_SUPPORTED',NULL,21131602,'''; DROP TABLE runs; --','08g^');
INSERT INTO "nodes" VALUES(1,1,1,4294967295,'false','ns',0,8,5.7065309578812652147e-02,2.49707187915253689403e-02,4196375301.0,-9e999,'sampled','MS_MISSING_TOO_FEW','calc2',4173375095,'OT;o"y@1-X#WXt$!''Xwjgr:''=qY,;zocSyvnds;.AeIgh-a)u975aatsaJ)QxbJKdJuwY(a32k!`SD+rk5Km1SMmSaEq5A''`SQ:"%?''+AJ0Cj2XD0_m)!5Bkd''x/j\KY<fM(KMbn!JEdD5KJnB-9(ZMNFT@TL8CpYJ''-^xh"]x[HhX_E@BrX#XE=f&(gKgZ+C:=1p?r/tJ+/by:ap<Nop2(IZfdln5voP^7ot![xj\1`aE^a7mq(AZ[eD','ns');
INSERT INTO "nodes" VALUES(1,2,2,1,'pending','',1,49,8125836389.0,6.06636268396370630486e-15,0.0,4859565581.0,'sampled','MS_MISSING_BROKEN','a
b	',4294967294,'naïve — größer','@X"!nybwBm''=TBWcOl))X)9KI\TT.pe(x_v\J_&?;1`D\uRK&ab8h3i#B^oDn8S;c?pn`"a&hO-$Y120a&WFzov\7Wbu2([9;8mYKsMHHceZkHX@_qwPxZ$4>iv1]4dk%MBC>.C4DT"BP<=-H_(%q0''x[PoLcH@a\[,5jxB7Da[AC''U2l7Y52;fCjAZg?JyUHcZbs1J+BM;M1qpv0c1!#k%E42M,?>!Td9''hZf*-"M`4');
INSERT INTO "nodes" VALUES(1,3,3,4294967295,'false','''; DROP TABLE runs; --',2,45,2.0028732218176870728e+11,0.0,3787003086.0,2.3735151072239997949e-08,'timed','MS_PRESENT','',2722316934,'''; DROP TABLE runs; --','naïve — größer');
INSERT INTO "nodes" VALUES(1,4,4,2,'unknown','''; DROP TABLE runs; --',1,4294967294,-9e999,6.30859890758062452631e-02,6.85069841379970373429e-02,0.00865108271866329,'sampled','MS_MISSING_NO_EVENT','calc1',2600573,'1shB8qE2"dJpT7`Tur[W@/Bs72fnVnqTrb.I(_4+4bl&Nw1>Mm3Etl%w"*#JfJGM+f)`X5D-zY;&''yDy)%U@','a
b	');
INSERT INTO "nodes" VALUES(1,5,5,4294967295,'discontinued','calc1',1,2516427503,3.82539819158866228887e-02,0.1,1.82433714233310937877e+08,724055160.0,'simulated','MS_MISSING_BUDGET','a
b	',1,'calc2','8tTuwoWTxZTyciC,$-@O)4?Z(x(Dc/3b)1B*>''!wdwac@ou@Iq[)yfG,SwO1?">p');
CREATE TABLE "nodes_evidence" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "position" INTEGER NOT NULL, "name" TEXT, "unit" TEXT, "value" REAL, "error" REAL, "rung" TEXT, "missing" TEXT, PRIMARY KEY ("run", "row", "position")) WITHOUT ROWID;
INSERT INTO "nodes_evidence" VALUES(1,0,0,'.hqLA>brqx''P:HsJElTiY3''B-#*PI""6#qw"0g>R&.,3WOMCvPn5s!n,!e4OHeXfXQ9!>S%1''o$(&iW\jD.TC465J@%oT/Z5G>$GFb2(<t%*jU_w,wt^y2wH''YQy_WUe)ybkl.kUKwn+=UAF_;,%yL;Xw#H','swim.c',7.79459610106702227572e-02,70901673.0,'timed','MS_MISSING_BUDGET');
INSERT INTO "nodes_evidence" VALUES(1,2,0,'calc1','calc2',1.01360362209057854683e+31,7999619153.0,'simulated','MS_MISSING_NO_EVENT');
INSERT INTO "nodes_evidence" VALUES(1,2,1,'swim.c','ns',0.0,8.99136494654032142337e-02,'simulated','MS_MISSING_TOO_FEW');
INSERT INTO "nodes_evidence" VALUES(1,3,0,'calc2','calc2',4.74385243180521082306e-02,4516890171.0,'none','MS_MISSING_BUDGET');
INSERT INTO "nodes_evidence" VALUES(1,3,1,'calc2','calc2',NULL,9998999150.0,'sampled','MS_MISSING_NOT_REQUESTED');
INSERT INTO "nodes_evidence" VALUES(1,3,2,'calc1','rPB%t!RYzt7rdi)DRPit[25b@)QSbG9^cJ_BF;a$6TF5(q;;?/aRJa''.N1,f^?:3_yq.+##<[!mt>V3=/J$Yr`;J]CUD+jPlxcV\0p_-$vOeUw]`*qL%q*D(Z+_N\>P.P2YuE!E"IV#9kjF,LeZ8mFtAzr,i/GB&,GXp$a^xaxEnF?aY5W=uO%P!Ri>`d"7E!AqQu2:[wn=K''"o9Cj5;8v;H',9311679616.0,3989859814.0,'sampled','MS_MISSING_NOT_SUPPORTED');
INSERT INTO "nodes_evidence" VALUES(1,4,0,'swim.c','ns',1.82677050820758690719e-02,1929924398.0,'sampled','MS_PRESENT');
INSERT INTO "nodes_evidence" VALUES(1,4,1,'calc2','*L_hY7H>]:"k_rn-IItL`aEgiMqn%Y0E%Dw_XOd/''GT+)o_hnTD>;u*9Gpc_:Mh/TA''?[ZCo*@s+Cq9$3-JqZ@8w2"G?T9sN#EmiDtXHl!O\R7!''"Mg*H7.AKNQDimNXL`af3qd^Qy2!.fBs;d:,)p;eZo6F<EJXS5&A`f.3WID6[ph!@4g6VqOuuNm2(l3M\6[awHEfC!.A@,=N:dNc$''.QnU7@mfoG"-EoLjrvI4OS/_"TN&t<Vh=E4umUCXeBrAK',-1.0,272121228.0,'timed','MS_MISSING_NOT_EXECUTED');
INSERT INTO "nodes_evidence" VALUES(1,5,0,'q8<nF/InfP\/>%4caR8BT1eKsv`;_9t8D]Z*&2.*ITbnA6rd?<IMb[^?+[fduAgH:gIZ[H^O$=''At@dajV@`u$y<tjYn5tk6xd$;NGi/jCe','calc2',1.0,1.76238260625324771402e+31,'counted','MS_MISSING_BROKEN');
CREATE TABLE "nodes_threads" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "position" INTEGER NOT NULL, "number" INTEGER, PRIMARY KEY ("run", "row", "position")) WITHOUT ROWID;
INSERT INTO "nodes_threads" VALUES(1,0,0,2082892153);
INSERT INTO "nodes_threads" VALUES(1,0,1,4294967294);
INSERT INTO "nodes_threads" VALUES(1,1,0,6429978);
INSERT INTO "nodes_threads" VALUES(1,2,0,1045741);
INSERT INTO "nodes_threads" VALUES(1,4,0,5340684);
INSERT INTO "nodes_threads" VALUES(1,4,1,2403637601);
INSERT INTO "nodes_threads" VALUES(1,4,2,4294967295);
INSERT INTO "nodes_threads" VALUES(1,4,3,4294967295);
INSERT INTO "nodes_threads" VALUES(1,5,0,3856118919);
CREATE TABLE "regions" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "id" INTEGER, "parent" INTEGER, "kind" TEXT, "construct_module" INTEGER, "construct_offset" INTEGER, "inside_module" INTEGER, "inside_offset" INTEGER, "next_module" INTEGER, "next_offset" INTEGER, "resolved" INTEGER, "source_function" TEXT, "source_file" TEXT, "source_line" INTEGER, "source_approximate" INTEGER, "source_module" TEXT, "source_offset" INTEGER, "next_source_function" TEXT, "next_source_file" TEXT, "next_source_line" INTEGER, "next_source_approximate" INTEGER, "next_source_module" TEXT, "next_source_offset" INTEGER, "executions" INTEGER, PRIMARY KEY ("run", "row")) WITHOUT ROWID;
INSERT INTO "regions" VALUES(1,0,0,4294967295,'DO_REGION',2,23,1,282,2,3147808,0,'Z_bwDAd7VCWfIPZGjO%-bff$''*d(@z"\h=X75T7(@Er9v3=K-+Q7vGExe)BOSu<HH+06hak.oQ&O6Xr,-1fyG=EBkn^<C<N?lFCQseaJl24h7QGSS)5-/]M,Jo','''; DROP TABLE runs; --',0,1,NULL,3805,'calc1','kd]]vCE-m%AI`&KAJzDu<KXmL^AFsQ$$0M)9)vYOa$7Bc#6.P%q.[FxTHrG%A''g3!Y,ZkOs)J"dvN8D''k[X/B*''R1RE&:''QXD"''crc=Vt?<UsRydFNmD6\#l!Lv9h(@?O[lML8-1K-c_.P\E)+AFDm!WIsozTLwpl"U?[*''@:8]j"J#T#S+ZkE=Xa4Xl]&8!.@F^fyfmkl?@CC]Hn=]0)JG+hk?F[",X]@kH''_/2AG;OZxC#c@(imPzSW@:>Ew`F',7295,0,'ns',-1,108753977);
INSERT INTO "regions" VALUES(1,1,1,0,'WORKSHARE_REGION',4294967295,6212599566243,2,5991331162137,1,140,1,'calc1','qaA:M$Qx3+l/HwF''UjDPgmG;_s6^#$2%$M*7o`xyq?++XlW*6%ko8ga',222930310,1,'p9P,w07Pw&`FibtukA]''eMIV%jAh$o3^!(AB,Lmc"Oh!Dwi!-Kz6ea_y5+^lo,L#q`WTY`Zb,"Bro([^W7;LCb6r-Oicm"_5D)_CD\.8R7@%zx=cr%jLE[X+ND&8(>y/^+#,zU0EK<MKTUluY:6mR,=WWje0bpz3XE?fOM9*9Y,J(=;L`U5&s@+i.qh:]XDq`Fy1>137_7[,(-%Fk;`W[g@e#reHqtu^x4/JCLGwmosI]8"U6+159=ai_26A"^S:jv0''7-SX',355838,'calc1','kWOvy7d9UEMf^B[3s/SKEv_QL,Icm0X:),xc\es)5$sJ^);fCeUs<v,_o&f_s2aHe+H/XC[d3;cV[g[3\hsPp[7]x+g5?3?ENkUY89cE9''(A.''.N*M%_O&F?K1qoH_@YXA+<EiM@;rR]oK<Q>B\"m[`(rS8_<poi+buaPz41O34.8''7$XF%iW3_',171352599,1,'calc1',745,19690365);
INSERT INTO "regions" VALUES(1,2,2,0,'SERIAL_REGION',2,0,2,489835373778916,4294967295,4,0,'a
b	','ns',2652,1,'a
b	',50,'ns','a
b	',1525517245,1,'a
b	',57274,6050);
INSERT INTO "regions" VALUES(1,3,3,0,'TASKWAIT_REGION',2,7564,1,862763,1,241162924094885,1,'ns','x1#jMZ!<@V<T:Yz<.kW,.=?**o?:G/Nnf*C)dpnaTxDJw(ww&-Tb[!WyFMm&xpGo?',-660346136,0,'naïve — größer',0,'#1BiILYc0;6NPglsWUSi''P@\6/hLjXpu9&K:dm79f''4NNj*3ss1+iB>N_VAGXVXf+.(Cr$eG)Z0q<RzQk%O(o.;55G4<?J985)T4k_I8nLV70yD''CY1dR+D''Q6o",vvWiVlAK.:5+I%r!YCPmLJts%=D"(o_%);^_DegOYTrP\h$>LsP8WNw>s$zMH36w+.uF#._l!tXsV''yX@5x/s/>/SF3:<g533:;2*bKH>3g%^FOHU3;Oz4-D*!UIEWxQFzy@u.OJ97<_hAXMe''F''-&e\H-$3',NULL,-1365777720,1,'calc1',1672725328453190,1425998);
CREATE TABLE "regions_path" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "position" INTEGER NOT NULL, "function" TEXT, "file" TEXT, "line" INTEGER, "approximate" INTEGER, "module" TEXT, "offset" INTEGER, PRIMARY KEY ("run", "row", "position")) WITHOUT ROWID;
INSERT INTO "regions_path" VALUES(1,0,0,'''; DROP TABLE runs; --','calc1',-1,0,'naïve — größer',5583177844334755);
INSERT INTO "regions_path" VALUES(1,0,1,'5AS+#j\Xu0ARIPbYw<ctv^VeA3CS`XQ+e:M"jwA]''7,ZOY8LYsuiIJSK%b`(NQT;D9_K4aA)J?!!OuGI<f*xPj0h9#7=2\q8zj3.:!",xZTEN7%F(cw:dKTXM5BPdq','calc2',0,1,'ns',489862);
INSERT INTO "regions_path" VALUES(1,0,2,'calc2','`''c2d/r#G''>9oKP=;%Iz%Te)v.qJQ:T.G#)@_Q7TkCrlzbi7)fziYVF;"1p\e^!?o:^\AVl/myD)83*cyncKpww`W;XF@C$Zl?yynyg.(j*:6]+Y\w>BZ?t!G;R5T@i"Z]KjDs=p-i!@xG`zse&Ha]$yvMuNPBQVar$GU(\`1zX6i)XEzf";8NpuFoR)p/OBPj-MFRqVS<6l+)Z(sF3=Tp\jq"]?lLI2dpo0OE+F`L@<n$TWl2c-xxAk1Eb,s-Hwv+va"Pcwd^qYCz''!6%G-kHg>xC=X=A5u&VR`W9C',-1316808012,1,'swim.c',1615829512370);
INSERT INTO "regions_path" VALUES(1,1,0,'naïve — größer','calc1',-2,0,'''; DROP TABLE runs; --',-1);
INSERT INTO "regions_path" VALUES(1,1,1,'a
b	','calc1',7,1,'h``;fV?`B^H#S5P*nl+@CqtQ((BK%bKJbpS2r@4n'']h(G?2''mQKkt7=sy-*\m=pF5@IxCP4:V=F>ypKHpY&[<60%aF*''HO(''43V_=JR;ery?r@mV-7/Fu"rTL2\fTvNP"Kj"+T''fi2d$Tx/2zZzcT+i`M`i(',247576092);
INSERT INTO "regions_path" VALUES(1,1,2,'swim.c','a
b	',-915879337,0,'''; DROP TABLE runs; --',1926079065);
INSERT INTO "regions_path" VALUES(1,1,3,'naïve — größer','swim.c',0,1,'ns',139285738946);
CREATE TABLE "regions_path_addresses" ("run" INTEGER NOT NULL, "row" INTEGER NOT NULL, "position" INTEGER NOT NULL, "module" INTEGER, "offset" INTEGER, PRIMARY KEY ("run", "row", "position")) WITHOUT ROWID;
INSERT INTO "regions_path_addresses" VALUES(1,0,0,2,2479268462979);
INSERT INTO "regions_path_addresses" VALUES(1,0,1,2,1965902863396);
INSERT INTO "regions_path_addresses" VALUES(1,0,2,2,2176);
INSERT INTO "regions_path_addresses" VALUES(1,1,0,1,34896174);
INSERT INTO "regions_path_addresses" VALUES(1,1,1,4294967295,400983815983391);
INSERT INTO "regions_path_addresses" VALUES(1,1,2,2,8965920109128227);
INSERT INTO "regions_path_addresses" VALUES(1,1,3,4294967295,31865931673611);
INSERT INTO "regions_path_addresses" VALUES(1,2,0,4294967295,0);
INSERT INTO "regions_path_addresses" VALUES(1,2,1,1,802);
INSERT INTO "regions_path_addresses" VALUES(1,2,2,2,2196455958343);
INSERT INTO "regions_path_addresses" VALUES(1,2,3,4294967295,0);
CREATE TABLE "runs" ("id" INTEGER PRIMARY KEY, "program" TEXT, "command" TEXT, "runtime" TEXT, "runtime_swapped" INTEGER, "pid" INTEGER, "start_realtime_ns" INTEGER, "threads" INTEGER, "complete" INTEGER, "strategy" TEXT, "host_name" TEXT, "cpu_model" TEXT, "kernel" TEXT, "cpus" INTEGER, "cpus_online" INTEGER, "nodes" INTEGER, "memory_bytes" INTEGER, "phase_method" TEXT, "phase_region" INTEGER, "phase_executions" INTEGER, "phase_wall_ns" REAL, "phase_min_ns" REAL, "phase_max_ns" REAL, "phase_note" TEXT, "tool_cpu_ns" REAL, "program_wall_ns" REAL, "program_cpu_ns" REAL, "slowdown" REAL, "experiments" INTEGER, "counters_possible" INTEGER, "counters_used" INTEGER, "samples_possible" INTEGER, "samples_used" INTEGER, "record_bytes" INTEGER, "overhead_limit" REAL, "overhead_limit_bound" INTEGER, "time_seen" REAL);
INSERT INTO "runs" VALUES(1,NULL,'a
b	','f^KSVWBLQWtu4UzmTKHo<TGCbVdMJjx:_+XF]3475ndzcg:oLP^X]P5U@6B&SF-e2TQ!\PtVYWA;b"0Lc>4FM5s75H<QFZOVNfWwR+M?HvCF=W5zYEQ]P>EC0go^"/4-T=5)oTBTA,@D/>\QdPeDX0.UbpxRjZwl8R]GD"(zO9KKOb''u0lxiwH1=''yCL3bQE0C)JG,.()gOS>;:v63_/E9AB0I+-5m2',1,1159338,2683960399216,30549,1,'calc1','_dLO[50''^7,<a)8ckL&''TlYH?k7?.@d>8(il<%+73?L_]nFI-p]\PsXa@M:D+CluZllv=PeXc4_U;V2l"yc"V3Xt8g0X0/52b@jxwuch*#<Qj[O`[$aa)K7KyO)W?v9ruR*+c#b9)=\0j^e^bwGrk#''En>hEJ#''Di2;1,:EK>.^i,=QDC+1>.gZ',NULL,'naïve — größer',3463055806,3,93354289,719442652431,'whole_program',1,172,3.72572274339396311559e-02,6378522528.0,3.74857370540377585199e-02,'ns',80735185.0,4.15842722745627182967e-02,0.0,3.73544204866506773798e-02,777505,127347391128,5381045168,0,27233,65944,1856484724.0,0,1.05038700787387917555e+41);
COMMIT;
