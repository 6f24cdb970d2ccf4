//! Lists of words that rules refer to.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A set of words, written as one text.
pub(super) struct Words(LazyLock<BTreeSet<&'static str>, fn() -> BTreeSet<&'static str>>);

impl Words {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

macro_rules! words {
    ($text:literal) => {
        Words(LazyLock::new(|| $text.split_ascii_whitespace().collect()))
    };
}

/// Names of folders and accounts that belong to nobody.
pub(super) static NEUTRAL_ACCOUNTS: Words = words!(
    "\
     admin administrator agent all-users app build builder circleci coder codespace container default \
     default-user dev developer devuser docker ec2-user example foo git gitpod guest home jenkins jovyan \
     linuxbrew me myuser name node nonroot public root runner runneradmin sandbox shared somebody someone \
     test testuser travis ubuntu user username vagrant vscode work worker workspace you your-name your-user \
     your-username your_username yourname youruser \
     "
);

/// Names that are words of ordinary text or code: neutral as a folder's owner they are not, but they aren't looked for elsewhere.
pub(super) static COMMON_WORDS: Words = words!(
    "\
     alpha amber angel apache april archer art ash august autumn backup baker base basil beta bill bishop \
     black blue bond brook brown carpenter case chance chase chip clay client cloud code commit cook \
     cooper core crystal daemon daisy data dawn debian deploy desk desktop devel docs dot drew earl echo \
     eclipse ember engine faith fedora field files fisher flask ford forest frank free gene ginger glen \
     grace grant gray green hadoop harmony hazel heath holly hope host hunter iris ivy jack jade jasmine \
     java jewel josh joy june kafka kit kitty lance laurel lily linux local login logs long lucky major \
     mark mason master matrix max media melody miles mint misty model mysql nginx north novel olive opal \
     oracle page paris parker pat pearl pepper piper poppy porter postgres power price prod project \
     python rails rain ranger ray react redis reed rich rob robin rocky rose ruby russell rust sage sandy \
     scout server service shepherd skip sky smith soldier source spark spring stage staging star steam \
     sterling stone storm student sue summer sunny support swift system taylor teacher temp terry tmux \
     tools trace training turner tyler ubuntu victor video violet virgin walker ward weaver webapp \
     webmaster west white wiki will willow windows winter wood woods work world young zoom \
     "
);

/// Parts of an address before `@` that name a machine or a role.
pub(super) static NEUTRAL_MAILBOXES: Words = words!(
    "\
     abuse admin billing bot contact dev do-not-reply donotreply email example foo git hello help hg info \
     me name no-reply noreply notifications office postmaster root sales security someone super support \
     team test this user username webmaster you your-email your.email your_email youremail yourname \
     "
);

/// Words that stand for a secret instead of being one.
pub(super) static PLACEHOLDER_WORDS: Words = words!(
    "\
     a abc access account actual an and anything api apikey app auth bar baz bearer change changeit \
     changeme client code credential credentials default dev dummy empty enter example fake fill foo \
     foobar from go goes here hidden id in insert is it key keys later like local masked me mock my mykey \
     mypassword mysecret mytoken new none not null of old or pass passphrase passwd password paste \
     personal placeholder private project public put pw pwd random real redacted removed replace \
     replaceme required right sample secret secrets service set some something string super supersecret \
     tbd test testing text that the this to todo token tokens undefined unset unused use user username \
     value webhook with x xx xxx xxxx your yourkey yourpassword yours yoursecret yourtoken \
     "
);

/// Words that say a state, a type or a place, where a password could stand.
pub(super) static STATE_WORDS: Words = words!(
    "\
     absent account active admin always any argument asdf auto base basic bool boolean bytes cleartext \
     config confirm confirmation correct current custom database date denied disable disabled email \
     enable enabled encrypted env environment error expired failed false field file float forbidden \
     forgot form generate generated global guest hash hashed include incorrect input int integer invalid \
     keyring label login manual match memory mismatch missing mongo mysql never nil normal number oauth \
     object off omit on option optional options plain plaintext postgres prompt protected provided \
     readonly register reset root rotate rotated same show signin signup stdin store stored str strong \
     submit symbol system textbox true type unchanged unknown update updated valid variable visible wrong \
     "
);

/// Last words that change nothing about what a name means: `DB_PASSWORD_PROD`, `SECRET_KEY_BASE`, `API_KEY_2`.
pub(super) static TRAILING: Words = words!(
    "\
     admin backup base ci current default dev development live local main new old plain plaintext prod \
     production raw sandbox secondary stage staging str string test text v value \
     "
);

/// Words before `token` that make it a place in a list or in a text.
pub(super) static OTHER_TOKENS: Words = words!(
    "\
     bos cancel cancellation continuation cursor delta design end eos first last lookahead mask max next \
     pad page pagination peek per prev previous resume sep skip special start stop sync unk \
     "
);

/// Words before `key` that make it a secret.
pub(super) static SECRET_KEYS: Words = words!(
    "\
     access account admin aes api app application auth client cookie crypt crypto decryption deploy \
     deployment developer enc encrypt encryption functions hmac integration jwt license master preshared \
     priv private psk rest rsa secret secure server service session shared sign signing ssh storage \
     subscription webhook write \
     "
);

/// Words before `key` that make it something everybody may see.
pub(super) static PUBLIC_KEYS: Words = words!(
    "\
     anon arrow attribute bundle cache candidate column composite config context dedupe dictionary \
     dispatch escape event field foreign group hash host hot i18n id idempotency index item join json \
     label lang localization lock lookup map merge message metadata modifier node nonce object option \
     parent partition press primary property pub public publishable query range react record registry \
     resource route row schema setting settings short shortcut site socket sort sorting state store tab \
     tag translation trusted type unique up verification verify websocket \
     "
);

/// Openings of values that name a secret's place instead of holding it.
pub(super) static REFERENCES: Words = words!(
    "\
     !getatt !ref !secret !sub !vault %( ../ ./ @{ arn: aws-sm: blake3: data. data: enc[ env. env: env[ \
     file( file: gcp-sm: h1: http:// https:// import. keyvault: kms: local. md5: module. op:// os. \
     process. projects/ ref+ secret:// secrets. secrets/ self. sha1- sha1: sha256- sha256: sha384- \
     sha512- sha512: ssm: this. urn: uuid: var. vault/ vault: ~/ \
     "
);

/// Beginnings of names of algorithms, encodings, types and parts of documents that end in a number.
pub(super) static TECHNICAL_STEMS: Words = words!(
    "\
     aes arg argon base bcrypt blake bytes chapter ec ed es f float h hs http i int ipv k line md oauth \
     option p param part pbkdf ps python rs rsa s scrypt sha step test totp u uint utf v version web x \
     "
);

/// Words that stand for a secret also with a number behind them.
pub(super) static NUMBERED_PLACEHOLDERS: Words = words!(
    "\
     api auth bar baz changeme client dummy example fake foo key mock my pass passwd password placeholder \
     sample secret test token user username value x xx xxx your \
     "
);
