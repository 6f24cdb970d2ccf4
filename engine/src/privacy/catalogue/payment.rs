//! Payments and shops.

use super::kind::{Kind, named, token};

pub(super) static KINDS: &[Kind] = &[
    token(
        "stripe-key",
        &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        r"(?<s>[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,})",
        &["STRIPE_KEY=«sk_live_{alnum:24}»", "{\"k\":\"«rk_test_51{alnum:96}»\"}"],
        &["sk_test_xxxxxxxxxxxxxxxxxxxxxxxx", "sk_live_...", "sk_test_your_key_here"],
    ),
    token(
        "stripe-webhook-secret",
        &["whsec_"],
        r"(?<s>whsec_[A-Za-z0-9+/=]{20,100})",
        &["STRIPE_WEBHOOK_SECRET=«whsec_{alnum:32}»"],
        &["whsec_your_webhook_secret"],
    ),
    token(
        "square-token",
        &["sq0atp-", "sq0csp-", "sq0idp-", "EAAA"],
        r"(?<s>(?:sq0[a-z]{3}-[A-Za-z0-9_-]{20,60}|EAAA[A-Za-z0-9_-]{56,70}))",
        &["«sq0atp-{b64url:22}»", "secret «sq0csp-{b64url:43}»", "SQUARE=«EAAA{b64url:60}»"],
        &["sq0atp-your-token"],
    ),
    token(
        "braintree-token",
        &["access_token$"],
        r"(?<s>access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})\b",
        &["PAYPAL=«access_token$production${lower:16}${hex:32}»"],
        &["access_token$sandbox$yourmerchant$token"],
    ),
    named(
        "paypal-secret",
        &["paypal"],
        r"[A-Za-z0-9_-]{40,100}",
        &["PAYPAL_CLIENT_SECRET=«E{b64url:79}»"],
        &["PAYPAL_CLIENT_SECRET=YOUR_PAYPAL_CLIENT_SECRET"],
    ),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"(?<s>shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32})\b",
        &["X-Shopify-Access-Token: «shpat_{hex:32}»"],
        &["shpat_00000000000000000000000000000000"],
    ),
    token(
        "razorpay-key",
        &["rzp_live_", "rzp_test_"],
        r"(?<s>rzp_(?:live|test)_[A-Za-z0-9]{12,40})",
        &["«rzp_live_{alnum:14}»"],
        &["rzp_test_yourkeyidhere"],
    ),
    token(
        "plaid-token",
        &["access-sandbox-", "access-production-", "access-development-"],
        r"(?<s>access-(?:sandbox|production|development)-[0-9a-f-]{36})\b",
        &["«access-production-{uuid}»"],
        &["access-sandbox-mode"],
    ),
];
