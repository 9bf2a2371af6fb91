/* Tests the reader of VLAD: data, invalid data, places, and how messages show them. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "vlad/character.h"
#include "vlad/read.h"
#include "vlad/real.h"

/* ---- Data as text ---- */

static void put_datum(FILE *out, const vlad_datum *datum) {
    switch (datum->kind) {
    case VLAD_DATUM_EMPTY: fputs("()", out); break;
    case VLAD_DATUM_BOOLEAN: fputs(datum->is.truth ? "#t" : "#f", out); break;
    case VLAD_DATUM_NUMBER: fprintf(out, "%.17g", datum->is.number); break;
    case VLAD_DATUM_SYMBOL: fputs(datum->is.symbol->name, out); break;
    case VLAD_DATUM_STRING: fprintf(out, "\"%s\"", datum->is.string); break;
    case VLAD_DATUM_PAIR:
        for (const char *before = "("; datum->kind == VLAD_DATUM_PAIR; datum = datum->is.pair.rest, before = " ") {
            fputs(before, out);
            put_datum(out, datum->is.pair.first);
        }
        if (datum->kind != VLAD_DATUM_EMPTY) {
            fputs(" . ", out);
            put_datum(out, datum);
        }
        fputc(')', out);
        break;
    }
}

typedef struct reading {
    vlad_sources *sources;
    vlad_symbols symbols;
    const vlad_datum *forms;
    verso_status status;
    verso_error error;
} reading;

static reading begin(const char *name, const char *text, size_t size) {
    reading r = {.sources = vlad_sources_new()};
    uint32_t file;
    assert_int_equal(vlad_symbols_init(&r.symbols, r.sources, NULL), VERSO_STATUS_OK);
    assert_int_equal(vlad_sources_add(r.sources, name, text, size, &file, NULL), VERSO_STATUS_OK);
    r.status = vlad_read(&r.symbols, file, &r.forms, &r.error);
    return r;
}

static void end(reading *r) {
    vlad_symbols_free(&r->symbols);
    vlad_sources_free(r->sources);
}

static void expect(const char *text, const char *expected) {
    reading r = begin("t", text, strlen(text));
    if (r.status != VERSO_STATUS_OK)
        fail_msg("%s: %s", text, r.error.message);
    char *found;
    size_t size;
    FILE *out = open_memstream(&found, &size);
    put_datum(out, r.forms);
    fclose(out);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", text, expected, found);
    free(found);
    end(&r);
}

static void data_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text, *data;
    } good[] = {
        {"", "()"},
        {" \t\r\n\f ", "()"},
        {"1 -2.5e3 .5 1. +3 -.25E+2 1e-2", "(1 -2500 0.5 1 3 -25 0.01)"},
        {"123456789012345678901234567890123456789012345678901234567890123456789", "(1.2345678901234569e+68)"},
        {"1e-999", "(0)"},
        {"1/2 -6/4 +1/4 0/7", "(0.5 -1.5 0.25 0)"},
        {"#x10 #XfF #x-1/10 #b101 #o17 #o-17/2 #d1.5 #d1/2 #e1.5 #i1/4 #x#e1f #i#b11",
         "(16 255 -0.0625 5 15 -7.5 1.5 0.5 "
         "1.5 0.25 31 3)"},
        {"1s2 1F2 1d-1 1L2", "(100 100 0.10000000000000001 100)"},
        {"+inf.0 -inf.0", "(inf -inf)"},
        {"inf +inf -inf.1 nan.0 +infinity", "(inf +inf -inf.1 nan.0 +infinity)"},
        {"[+ 1 [- 2]] (let ([x 1]) x)[]", "((+ 1 (- 2)) (let ((x 1)) x) ())"},
        {"a[b]c", "(a (b) c)"},
        {"#t #f ()", "(#t #f ())"},
        {"a + - ... -> x.y <=? !$%&*/:<=>?@^_~ .x -x", "(a + - ... -> x.y <=? !$%&*/:<=>?@^_~ .x -x)"},
        {"\xce\xbb \xe2\x86\x90 \xf0\x9d\x91\xa5", "(\xce\xbb \xe2\x86\x90 \xf0\x9d\x91\xa5)"},
        {"(a (b c) . d)", "((a (b c) . d))"},
        {"(a . (b . (c . ())))", "((a b c))"},
        {"'x '(a . b) ''y", "((quote x) (quote (a . b)) (quote (quote y)))"},
        {"a'b(c)d", "(a (quote b) (c) d)"},
        {"\"file\" \"a\\\"b\\\\c\"", "(\"file\" \"a\"b\\c\")"},
        {"a ; b\nc", "(a c)"},
        {"a #| b #| c |# d |# e", "(a e)"},
        {"a #;b c (d #;(e f)) #;#;g h i", "(a c (d) i)"},
        {"(a #;b . #;c d #;e)", "((a . d))"},
        {"#|||#a", "(a)"},
        {"\xef\xbb\xbf"
         "a",
         "(a)"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect(good[i].text, good[i].data);
}

/* Computed with Python's fractions, which round once. */
static const struct {
    const char *text;
    double number;
} ratios[] = {
    {"5/6", 0x1.aaaaaaaaaaaabp-1},
    {"9/1", 0x1.2000000000000p+3},
    {"960/576", 0x1.aaaaaaaaaaaabp+0},
    {"894/355", 0x1.4257fa3b21e4ap+1},
    {"17472842155438677/32604661561322043", 0x1.1261804032344p-1},
    {"63581066123546870/64872997153957288", 0x1.f5cdbb1819014p-1},
    {"85668071947328285032/4", 0x1.2938886305470p+64},
    {"41934702938272527257/7", 0x1.4c8c9139754b2p+62},
    {"5/35630594547671536965", 0x1.4b579434f06dep-63},
    {"2/95185702521288934122", 0x1.8ce5aa1d98988p-66},
    {"3304934498168816325284398008484412809642/269", 0x1.27c65515bd401p+123},
    {"8036301096388661603771983333068852848936/309", 0x1.390da21d6eaeap+124},
    {"286/1101672594614738354550517442697950695062", 0x1.615b3afe21685p-122},
    {"469/3771838725733122698121951547182798033809", 0x1.527e1a0de1981p-123},
    {"131186129944305471503121493352444642817568485848773275985737970238317522858735617435686876"
     "340887098977354659690864049698856376385368248031719337767672225772544189066936036891421480"
     "556301581549684895431862179963802587614458512943950305635685841930576080891268912196571665"
     "964541733912055920752939195807929773374231285110988560203520/5050661275376446751086063",
     0x1.2f020923d1516p+1011},
    {"289506873875855083258284151324019055602800284560997343445192913065846001835766215731541479"
     "947634837517977460956536047619913408051283210859864494302912619276033272566845926321068308"
     "387651749554078944774859952478362450080249833288069632190219899290531056406336761890935986"
     "030028400653639122969567553066334797131585122868659325289310/2735026219330750126285757",
     0x1.34b5f34637004p+1013},
    {"5829153524833038423344805/3808689584616387132321592902712553810126294554983151245412771356"
     "370222836772413316790229717690210258812009421659915091574892269199265800914400405507015564"
     "673886524332184341316387028577800810050692756255942797128106726279602844848499995352516771"
     "808286226883125440824074336657305209046207792030695326953166665927507984172138834226559985"
     "33063676476",
     0x0.0000000000c1ap-1022},
    {"4288998123639859441987964/5299115337892514331098453608675483941751139390373393401768643750"
     "766128491932241850976661178858459318509869984539808633668977729935975597406733676681232091"
     "966617043191761476078884225650103917085097029686674272377720591181443393625010798544051952"
     "158774206198986983519092104736823547327861622500431970533871804959950221143981151997213382"
     "85929413013",
     0x0.0000000000666p-1022},
    {"6/9775477334549246179203632242932184217366328337692556958181917081208402377038680415112966"
     "262764425418975665859863248330255161534733754243235027804775414952530859310334555296800428"
     "384153209049305823324541906247690955882190321061687836019370125512785172444790645396222658"
     "5413072657145958268949899988707779551543360343322280847",
     0x0.000000000000cp-1022},
    {"5/5204800235760345460691625105611575215421026803688259552373056198248376962650907164706516"
     "480381402268342462014998240206644455649061490135845866191669947250470657393485735608424817"
     "911942223875639803390044371012688303979321948852345993023744773792374017370383102781837107"
     "4075138747925288354347318574384469904182003008340301101",
     0x0.0000000000013p-1022},
    {"69/539615519372849789849535065866496257455067033110774238024411398467230082349875330774146"
     "820846931660813394159622170686305049551951170667230378366604665493764609574274104581412111"
     "897508419137459177512301687174615031881863667155216018647710860787888709660074115813557714"
     "3083477679215843888703603752481430902579164176065570647492",
     0x0.0000000000003p-1022},
    {"84/832938406400544314367845402502002427236517598054511065650665972529747930581503121567585"
     "872245317521496708450811767290131620237445958704768622596078205173867523851515194517402680"
     "183968027192959493443259057961942461894218986372753506982082273702806993155566028075467275"
     "9844794113565601995315101102237626772904280946746692902527",
     0x0.0000000000002p-1022},
    {"740427413774856027348709531787087115352447696160640447723469878000545769391040926717160476"
     "282999437782232899790837443715411959786287520739842939372638584062250988566898945818780522"
     "060067441602993223104459307990998123585120859521542605356356249137556489510412356518013269"
     "973137647552975591136005336552/61821073283376816530711144415746248204272113693305957427955"
     "084551091984740695572823906421963875623984129359755287239928279140581798679339759396254121"
     "668382449168459147385660347774142922522669609058258274784116896016184107477755976695209511"
     "343355006671099974241366661160073519399786280524499641435422710187154800198150563951723327"
     "222700224695350436116268781638670219562680234307026171644596125827301654242273776412804444"
     "053983783414626830419321253967838980626730033642711339038224672244602593869927414893651062"
     "336303061138339314168174869238783460557459048385892224816479971996374423231889290091302253"
     "62744509136",
     0x0.0160c2ffeae8ap-1022},
    {"878304176443631253063749368113968204773505315860265601987638712865283189822992249327122075"
     "911540027603972582860243620911640886213413727759950221361883025245698830311733489047379615"
     "945380198372262696670269090922578073017141630693683481698853213042769266711817156314481891"
     "174439623819624487002683147765/67686193862705694164837546312552353114050878931340295562594"
     "599684154187263832051980072772792959319173802807877409737749317173861306220852091030763085"
     "270612644024993793634389304965874130455113157055396924656893452615420274353366166860173380"
     "156088303454291201735825073033693497608079041454495829696067283612014232466449385589480224"
     "595868375672905947573106434593683418096639867461673681014345076395769175922979899489595349"
     "575358980064547640033909200467183025679565010625867384568236651792522382111084204351476326"
     "979759623204295864690919116729916250062667174573487322127572079556831787297983442061914941"
     "55823806913",
     0x0.017e30df7a227p-1022},
    {"17307/272865468701789676397381216129657575984910349431621825827865662831349535327120197985"
     "714197817653676176640715677465904543494295455142587651122636458735612642576380421099726036"
     "972579770989350083860888257584880204378359783509355155946868377795801275309056845183443578"
     "38267850664699705716900364518191975438151216187629056607",
     0x0.0000007a6e233p-1022},
    {"27194/524286537784032407265487898123518224142678954319575495390799035432895641399818801733"
     "942898699419137379808900485735010651166791026959970847377698560247700020873478231512031327"
     "875210104115675309083149461281446285082787059577246365795077672220061678638112474842005381"
     "35536729288564982498382072404724361114402593281159108176",
     0x0.000000641ea8ep-1022},
    {"9007199254740993/1", 0x1.0000000000000p+53},
    {"9007199254740995/1", 0x1.0000000000002p+53},
    {"1/2024022533073106183524953467189173070495566497641421183569013580274303395679953468919603"
     "837014371244951870778643168119113898087373857934768670133999407385099215174242765663613644"
     "669077420932163412397676784727450685620074834246926986181033556491595563408100565123587695"
     "52333414615230502532186327508646006263307707741093494784",
     0x0.0000000000001p-1022},
    {"1/4048045066146212367049906934378346140991132995282842367138027160548606791359906937839207"
     "674028742489903741557286336238227796174747715869537340267998814770198430348485531327227289"
     "338154841864326824795353569454901371240149668493853972362067112983191126816201130247175391"
     "04666829230461005064372655017292012526615415482186989568",
     0},
    {"3/4048045066146212367049906934378346140991132995282842367138027160548606791359906937839207"
     "674028742489903741557286336238227796174747715869537340267998814770198430348485531327227289"
     "338154841864326824795353569454901371240149668493853972362067112983191126816201130247175391"
     "04666829230461005064372655017292012526615415482186989568",
     0x0.0000000000002p-1022},
    {"9007199254740995/8096090132292424734099813868756692281982265990565684734276054321097213582"
     "719813875678415348057484979807483114572672476455592349495431739074680535997629540396860696"
     "971062654454578676309683728653649590707138909802742480299336987707944724134225966382253632"
     "40226049435078209333658460922010128745310034584025053230830964373979136",
     0x0.8000000000001p-1022},
    {"18014398509481986/809609013229242473409981386875669228198226599056568473427605432109721358"
     "271981387567841534805748497980748311457267247645559234949543173907468053599762954039686069"
     "697106265445457867630968372865364959070713890980274248029933698770794472413422596638225363"
     "240226049435078209333658460922010128745310034584025053230830964373979136",
     0x1.0000000000000p-1022},
    {"9007199254740991/4048045066146212367049906934378346140991132995282842367138027160548606791"
     "359906937839207674028742489903741557286336238227796174747715869537340267998814770198430348"
     "485531327227289338154841864326824795353569454901371240149668493853972362067112983191126816"
     "20113024717539104666829230461005064372655017292012526615415482186989568",
     0x1.0000000000000p-1022},
    {"18014398509481983/809609013229242473409981386875669228198226599056568473427605432109721358"
     "271981387567841534805748497980748311457267247645559234949543173907468053599762954039686069"
     "697106265445457867630968372865364959070713890980274248029933698770794472413422596638225363"
     "240226049435078209333658460922010128745310034584025053230830964373979136",
     0x1.0000000000000p-1022},
    {"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
     "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
     "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
     "342711559699508093042880177904174497791/1",
     0x1.fffffffffffffp+1023},
    {"9007199254740993/2", 0x1.0000000000000p+52},
    {"1/3", 0x1.5555555555555p-2},
};

static void ratios_are_rounded_once(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        double number = 0;
        assert_int_equal(vlad_read_real(ratios[i].text, strlen(ratios[i].text), &number), VLAD_LITERAL_READ);
        if (memcmp(&number, &ratios[i].number, sizeof number) != 0)
            fail_msg("%s\nexpected %a\nfound    %a", ratios[i].text, ratios[i].number, number);
    }
    static char text[10000];
    double number;
    memset(text, '9', sizeof text);
    memcpy(text, "1/", 2);
    assert_int_equal(vlad_read_real(text, 2 + 4096, &number), VLAD_LITERAL_READ);
    assert_true(number == 0);
    assert_int_equal(vlad_read_real(text, 2 + 4097, &number), VLAD_LITERAL_TOO_LONG);
    memcpy(text, "#x", 2);
    assert_int_equal(vlad_read_real(text, 2 + 4096, &number), VLAD_LITERAL_TOO_LARGE);
    memcpy(text, "-9", 2);
    memcpy(text + 4096, "/1", 2);
    assert_int_equal(vlad_read_real(text, 4098, &number), VLAD_LITERAL_TOO_LARGE);
    assert_true(number == -INFINITY);
}

/* Whatever is printed is read as the same bits, infinities and what is no number included. */
static void numbers_are_read_as_they_are_printed(void **state) {
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        double number, again = 0;
        bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t specials[] = {UINT64_C(0x7ff0) << 48, UINT64_C(0xfff0) << 48, UINT64_C(1) << 63, 0, 1};
        uint64_t chosen = i < 5 ? specials[i] : bits ^ bits >> 29;
        memcpy(&number, &chosen, sizeof number);
        if (isnan(number))
            continue;
        verso__number text = vlad_real_text(number);
        assert_int_equal(vlad_read_real(text.text, strlen(text.text), &again), VLAD_LITERAL_READ);
        if (memcmp(&number, &again, sizeof number) != 0)
            fail_msg("%a is printed as %s, which is %a", number, text.text, again);
    }
    double again = 0;
    assert_string_equal(vlad_real_text(NAN).text, "+nan.0");
    assert_string_equal(vlad_real_text(-INFINITY).text, "-inf.0");
    assert_int_equal(vlad_read_real("+nan.0", 6, &again), VLAD_LITERAL_READ);
    assert_true(isnan(again));
}

/* ---- Messages ---- */

static const struct {
    const char *text;
    verso_status status;
    const char *message;
} bad[] = {
    {"(a\n  (b", VERSO_STATUS_STATE, "t:2:5: expected `)` to close the `(` at 2:3\n    (b\n      ^"},
    {"\n\n(a (b)\n", VERSO_STATUS_STATE, "t:3:7: expected `)` to close the `(` at 3:1\n  (a (b)\n        ^"},
    {"a #| #| |#", VERSO_STATUS_STATE, "expected `|#` to close the `#|` at 1:3"},
    {"'", VERSO_STATUS_STATE, "t:1:2: expected a datum after `'`\n  '\n   ^"},
    {"(a . ", VERSO_STATUS_STATE, "expected a datum after `.`"},
    {"#;", VERSO_STATUS_STATE, "expected a datum after `#;`"},
    {"a)", VERSO_STATUS_INVALID, "t:1:2: unexpected `)`: there is no `(` that it could close\n  a)\n   ^"},
    {"(')", VERSO_STATUS_INVALID, "t:1:3: expected a datum after `'`"},
    {"(a #;)", VERSO_STATUS_INVALID, "t:1:6: expected a datum after `#;`"},
    {"(a . )", VERSO_STATUS_INVALID, "t:1:6: expected a datum after `.`"},
    {"(a . b c)", VERSO_STATUS_INVALID, "t:1:8: expected `)`: one datum follows a `.`"},
    {"(a . b . c)", VERSO_STATUS_INVALID, "t:1:8: a second `.` in one list"},
    {"(a . . c)", VERSO_STATUS_INVALID, "t:1:6: a second `.` in one list"},
    {"( . b)", VERSO_STATUS_INVALID, "t:1:3: expected a datum before `.`, which precedes the last datum of a list"},
    {". b", VERSO_STATUS_INVALID, "t:1:1: expected a datum before `.`"},
    {"('. a)", VERSO_STATUS_INVALID, "expected a datum before `.`"},
    {"1/2/3", VERSO_STATUS_INVALID, "t:1:1: `1/2/3` is not a number, and a name does not begin like one"},
    {"1/", VERSO_STATUS_INVALID, "`1/` is not a number"},
    {"1/-2", VERSO_STATUS_INVALID, "`1/-2` is not a number"},
    {"1.5/2", VERSO_STATUS_INVALID, "`1.5/2` is not a number"},
    {"1/0", VERSO_STATUS_INVALID, "t:1:1: `1/0` divides by zero\n  1/0\n  ^"},
    {"#x-a/00", VERSO_STATUS_INVALID, "`#x-a/00` divides by zero"},
    {"-1x", VERSO_STATUS_INVALID, "`-1x` is not a number"},
    {"1e", VERSO_STATUS_INVALID, "`1e` is not a number"},
    {"1.2.3", VERSO_STATUS_INVALID, "`1.2.3` is not a number"},
    {"-1e999", VERSO_STATUS_INVALID, "`-1e999` is too large for a real number"},
    {"#true", VERSO_STATUS_INVALID, "expected `#t`, `#f`, `#;`, `#|` or a number such as `#x10` instead of `#true`"},
    {"#b102", VERSO_STATUS_INVALID, "or a number such as `#x10` instead of `#b102`"},
    {"#x1.8", VERSO_STATUS_INVALID, "instead of `#x1.8`"},
    {"#x#x1", VERSO_STATUS_INVALID, "instead of `#x#x1`"},
    {"#e#i1", VERSO_STATUS_INVALID, "instead of `#e#i1`"},
    {"#x#", VERSO_STATUS_INVALID, "instead of `#x#`"},
    {"#xx#1", VERSO_STATUS_INVALID, "t:1:4: unexpected character `#`"},
    {"(a [b)]", VERSO_STATUS_INVALID, "t:1:6: expected `]` to close the `[` at 1:4\n  (a [b)]\n       ^"},
    {"[a (b])", VERSO_STATUS_INVALID, "t:1:6: expected `)` to close the `(` at 1:4"},
    {"[a", VERSO_STATUS_STATE, "t:1:3: expected `]` to close the `[` at 1:1"},
    {"a]", VERSO_STATUS_INVALID, "t:1:2: unexpected `]`: there is no `[` that it could close"},
    {"[a . b c]", VERSO_STATUS_INVALID, "t:1:8: expected `]`: one datum follows a `.`"},
    {"#", VERSO_STATUS_INVALID, "expected `#t`, `#f`, `#;`, `#|` or a number such as `#x10` instead of `#`"},
    {"a#b", VERSO_STATUS_INVALID, "t:1:2: unexpected character `#`"},
    {"\xc3\xa9"
     "a,b",
     VERSO_STATUS_INVALID,
     "t:1:3: unexpected character `,`\n  \xc3\xa9"
     "a,b\n    ^"},
    {"a\x01", VERSO_STATUS_INVALID, "t:1:2: unexpected character `?`\n  a?\n   ^"},
    {"\ta\xff\xc3", VERSO_STATUS_INVALID, "t:1:3: unexpected character `?`\n   a??\n    ^"},
    {"a\xc2\xa0"
     "b",
     VERSO_STATUS_INVALID, "t:1:2: unexpected character `?`"}, /* a blank that does not break */
    {"\"abc", VERSO_STATUS_INVALID, "t:1:1: expected `\"` at the end of this string"},
    {"\"abc\n\"", VERSO_STATUS_INVALID, "t:1:1: expected `\"` at the end of this string"},
    {"\"a\\n\"", VERSO_STATUS_INVALID, "t:1:3: expected `\\\"` or `\\\\` in a string"},
    {"\"a\\", VERSO_STATUS_INVALID, "expected `\\\"` or `\\\\` in a string"},
};

static void wrong_texts_are_refused_in_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        reading r = begin("t", bad[i].text, strlen(bad[i].text));
        if (r.status != bad[i].status || r.error.status != r.status || r.forms != NULL ||
            strstr(r.error.message, bad[i].message) == NULL)
            fail_msg("%s\nexpected %s\nfound    %s", bad[i].text, bad[i].message, r.error.message);
        end(&r);
    }
    reading r = begin("t", "\"a\0b\"", 5);
    assert_int_equal(r.status, VERSO_STATUS_INVALID);
    assert_non_null(strstr(r.error.message, "t:1:3: a string has no NUL in it"));
    end(&r);
    r = begin("t", "a\0", 2);
    assert_int_equal(r.status, VERSO_STATUS_INVALID);
    assert_non_null(strstr(r.error.message, "t:1:2: unexpected character `?`"));
    end(&r);
}

static void expect_shown(const char *name, const char *text, const char *expected) {
    reading r = begin(name, text, strlen(text));
    assert_int_equal(r.status, VERSO_STATUS_INVALID);
    assert_string_equal(r.error.message, expected);
    end(&r);
}

static void long_lines_are_cut_around_the_caret(void **state) {
    (void)state;
    char text[2048], expected[1024], name[600];
    memset(text, 'a', 1000);
    strcpy(text + 1000, ")");
    memset(text + 1001, 'b', 500);
    text[1501] = '\0';
    snprintf(expected, sizeof expected,
             "t:1:1001: unexpected `)`: there is no `(` that it could close\n  ...%.48s)%.47s...\n  %*s^", text,
             text + 1001, 51, "");
    expect_shown("t", text, expected);
    snprintf(expected, sizeof expected,
             "t:1:1001: unexpected `)`: there is no `(` that it could close\n  ...%.48s)\n  %*s^", text, 51, "");
    text[1001] = '\0';
    expect_shown("t", text, expected);

    memset(name, 'x', sizeof name - 1); /* the end of a long name is shown */
    memcpy(name + sizeof name - 6, "/name", 6);
    snprintf(expected, sizeof expected, "...%s:1:1: unexpected `)`: there is no `(` that it could close\n  )\n  ^",
             name + sizeof name - 101);
    expect_shown(name, ")", expected);

    size_t used = 0; /* characters of four bytes: the window shrinks until it fits */
    for (; used < 1200; used += 4)
        memcpy(text + used, "\xf0\x9d\x91\xa5", 4);
    strcpy(text + used, ")");
    reading r = begin(name, text, strlen(text));
    assert_int_equal(r.status, VERSO_STATUS_INVALID);
    assert_int_equal(r.error.message[strlen(r.error.message) - 1], '^');
    end(&r);
}

static void messages_go_without_place_or_error(void **state) {
    (void)state;
    reading r = begin("t", "(a)\r\n(b)", 8);
    assert_int_equal(r.status, VERSO_STATUS_OK);
    vlad_place nowhere = {0}, far = {0, 9, 9}, second = {0, 1, 2};
    assert_int_equal(vlad_fail_at(r.sources, nowhere, VERSO_STATUS_INVALID, &r.error, "%d wrong", 1),
                     VERSO_STATUS_INVALID);
    assert_string_equal(r.error.message, "1 wrong");
    assert_int_equal(vlad_fail_at(r.sources, second, VERSO_STATUS_IO, NULL, "wrong"), VERSO_STATUS_IO);
    assert_int_equal(vlad_fail_at(r.sources, second, VERSO_STATUS_IO, &r.error, "wrong"), VERSO_STATUS_IO);
    assert_string_equal(r.error.message, "t:1:2: wrong\n  (a)\n   ^");
    assert_int_equal(vlad_fail_at(r.sources, far, VERSO_STATUS_IO, &r.error, "wrong"), VERSO_STATUS_IO);
    assert_string_equal(r.error.message, "t:9:9: wrong\n  \n  ^");
    char much[1000];
    memset(much, 'm', sizeof much - 1);
    much[sizeof much - 1] = '\0';
    assert_int_equal(vlad_fail_at(r.sources, second, VERSO_STATUS_IO, &r.error, "%s", much), VERSO_STATUS_IO);
    assert_non_null(strstr(r.error.message, "m\n  (a)\n   ^"));
    end(&r);
}

static void numbers_have_a_point_in_every_locale(void **state) {
    (void)state;
    const char *found = setlocale(LC_ALL, "de_DE.UTF-8");
    if (found == NULL)
        print_message("there is no German locale here\n");
    expect("0.5", found != NULL ? "(0,5)" : "(0.5)"); /* this test prints as Germans do */
    setlocale(LC_ALL, "C");
}

static void long_names_are_cut_in_messages(void **state) {
    (void)state;
    char name[200];
    memset(name, 'n', sizeof name);
    vlad_words words = vlad_shown(name, sizeof name);
    assert_true(strlen(words.text) < sizeof words.text && strcmp(words.text + strlen(words.text) - 4, "n...") == 0);
    assert_string_equal(vlad_shown("\xce\xbb\x01z", 4).text, "\xce\xbb?z");
}

static void characters_are_utf_8_or_bytes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        uint32_t code;
    } characters[] = {
        {"a", 1, 'a'},
        {"\xc3\xa9", 2, 0xe9},
        {"\xe2\x82\xac", 3, 0x20ac},
        {"\xf0\x9d\x91\xa5", 4, 0x1d465},
        {"\xc3", 1, UINT32_MAX},             /* cut */
        {"\xc3z", 1, UINT32_MAX},            /* no continuation */
        {"\xa9", 1, UINT32_MAX},             /* a continuation alone */
        {"\xc0\x80", 1, UINT32_MAX},         /* longer than need be */
        {"\xe0\x80\x80", 1, UINT32_MAX},     /* */
        {"\xed\xa0\x80", 1, UINT32_MAX},     /* half of a pair */
        {"\xf4\x90\x80\x80", 1, UINT32_MAX}, /* beyond the last */
        {"\xff", 1, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        uint32_t code;
        assert_int_equal(vlad_character(characters[i].text, strlen(characters[i].text), &code), characters[i].length);
        assert_int_equal(code, characters[i].code);
    }
}

/* ---- Files ---- */

static void files_are_known_by_what_they_are(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "a"), *other = folder_path(folder, "./a");
    folder_write(folder, "a", "(a)", 3);
    folder_write(folder, "b", "(b)", 3);
    vlad_sources *sources = vlad_sources_new();
    uint32_t first, second, third;
    bool again;
    size_t size;
    assert_int_equal(vlad_sources_open(sources, path, UINT32_MAX, &first, &again, NULL), VERSO_STATUS_OK);
    assert_false(again);
    assert_string_equal(vlad_sources_name(sources, first), path);
    assert_memory_equal(vlad_sources_text(sources, first, &size), "(a)", 3);
    assert_int_equal(size, 3);
    assert_int_equal(vlad_sources_open(sources, other, UINT32_MAX, &second, &again, NULL), VERSO_STATUS_OK);
    assert_true(again && second == first);
    assert_int_equal(vlad_sources_open(sources, "b", first, &third, &again, NULL), VERSO_STATUS_OK);
    assert_false(again);
    assert_memory_equal(vlad_sources_text(sources, third, &size), "(b)", 3);
    vlad_sources_forget(sources, 0);
    assert_int_equal(vlad_sources_open(sources, path, UINT32_MAX, &second, &again, NULL), VERSO_STATUS_OK);
    assert_true(!again && second == 2 && vlad_sources_count(sources) == 3);
    verso_error error = {0};
    assert_int_equal(vlad_sources_open(sources, "none", first, &second, &again, &error), VERSO_STATUS_IO);
    assert_non_null(strstr(error.message, "/none`: No such file or directory"));
    vlad_sources_free(sources);
    free(path);
    free(other);
    folder_remove(folder);
}

static void large_files_are_read_whole(void **state) {
    (void)state;
    enum { SIZE = 100001 };
    char *folder = folder_new(), *path = folder_path(folder, "large"), *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i % 251);
    folder_write(folder, "large", bytes, SIZE);
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    bool again;
    size_t size;
    assert_int_equal(vlad_sources_open(sources, path, UINT32_MAX, &file, &again, NULL), VERSO_STATUS_OK);
    const char *text = vlad_sources_text(sources, file, &size);
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, bytes, SIZE);
    vlad_sources_free(sources);
    free(bytes);
    free(path);
    folder_remove(folder);
}

static void the_arena_gives_zeroed_memory_and_has_limits(void **state) {
    (void)state;
    vlad_sources *sources = vlad_sources_new();
    for (size_t size = 1; size < 3000000; size = 3 * size + 1) {
        unsigned char *bytes = vlad_sources_alloc(sources, size);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    assert_null(vlad_sources_alloc(sources, SIZE_MAX - 3));
    uint32_t file;
    verso_error error = {0};
    assert_int_equal(vlad_sources_add(sources, "t", "", UINT32_MAX, &file, &error), VERSO_STATUS_INVALID);
    assert_string_equal(error.message, "t: a text of 4294967295 bytes is too long");
    vlad_sources_free(sources);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_read),
        cmocka_unit_test(ratios_are_rounded_once),
        cmocka_unit_test(numbers_are_read_as_they_are_printed),
        cmocka_unit_test(wrong_texts_are_refused_in_words),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(messages_go_without_place_or_error),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(long_names_are_cut_in_messages),
        cmocka_unit_test(characters_are_utf_8_or_bytes),
        cmocka_unit_test(files_are_known_by_what_they_are),
        cmocka_unit_test(large_files_are_read_whole),
        cmocka_unit_test(the_arena_gives_zeroed_memory_and_has_limits),
    };
    return cmocka_run_group_tests_name("VLAD: reading", tests, NULL, NULL);
}
