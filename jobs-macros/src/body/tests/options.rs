//! The options of each form.

use super::*;

#[test]
fn a_variable_named_as_an_option_may_still_be_a_future() {
    accepted(quote!(step!("a", detached).await?;));
    accepted(quote!(step!("a", attempts = 3, detached).await?;));
    accepted(quote!(step!("a", job).await?;));
}

#[test]
fn options_of_a_step_are_checked() {
    refused(
        quote!(step!("a", atempts = 3, one()).await?;),
        "did you mean `attempts`?",
    );
    refused(
        quote!(step!("a", lock = 3, one()).await?;),
        "has no option `lock`",
    );
    refused(
        quote!(step!("a", attempts = 3, attempts = 4, one()).await?;),
        "given twice",
    );
    refused(
        quote!(step!("a", attempts = 0, one()).await?;),
        "at least once",
    );
    refused(
        quote!(step!("a", attempts = "3", one()).await?;),
        "a whole number",
    );
    refused(quote!(step!("a", timeout = "30", one()).await?;), "no unit");
    refused(
        quote!(step!("a", timeout = 30, one()).await?;),
        "a duration in quotes",
    );
    refused(
        quote!(step!("a", backoff = "1s", one()).await?;),
        "add `attempts = 3`",
    );
    refused(
        quote!(step!("a", attempts = 3, move one()).await?;),
        "only once in an attempt",
    );
    refused(
        quote!(step!("a", key = 3, one()).await?;),
        "belongs to a step with `event`",
    );
    refused(
        quote!(step!("a", required = true, one()).await?;),
        "belongs to a step with `event`",
    );
    accepted(quote!(step!("a", attempts = n, timeout = d, one()).await?;));
}

#[test]
fn sleeps_and_waits_take_their_own_options() {
    refused(quote!(step!("a", sleep = "3 days").await;), "\"3d\"");
    refused(
        quote!(step!("a", sleep = "3d", one()).await;),
        "holds no future",
    );
    refused(
        quote!(step!("a", sleep = "3d", timeout = "1d").await;),
        "no option but `was`",
    );
    refused(
        quote!(step!("a", sleep = "3d", event = Paid).await;),
        "write two steps",
    );
    refused(quote!(step!(sleep = length).await;), "needs a name");
    refused(quote!(step!(event = Paid).await?;), "starts with its name");
    refused(
        quote!(step!("a", event = Paid, attempts = 3).await?;),
        "does not go with `event`",
    );
    refused(
        quote!(step!("a", event = Paid, since = run).await?;),
        "takes `step`",
    );
    refused(
        quote!(step!("a", event = Paid, required = true).await?;),
        "stands alone",
    );
    accepted(
        quote!(step!("a", required).await?;)
            .into_iter()
            .chain(quote!())
            .collect(),
    );
}

#[test]
fn a_step_that_runs_at_most_once_is_never_tried_again() {
    accepted(quote!(step!("a", effect = at_most_once, timeout = "1s", move one()).await?;));
    refused(
        quote!(step!("a", effect = once, one()).await?;),
        "takes `at_most_once`",
    );
    refused(
        quote!(step!("a", effect = at_most_once, attempts = 3, one()).await?;),
        "remove `attempts`",
    );
    refused(
        quote!(step!("a", effect = at_most_once, backoff = "1s", one()).await?;),
        "remove `backoff`",
    );
    refused(
        quote!(step!("a", event = Paid, effect = at_most_once).await?;),
        "does not go with `event`",
    );
}
