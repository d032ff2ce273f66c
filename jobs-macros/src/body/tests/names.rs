//! Names of steps: one each, different in a loop, and those they had before.

use super::*;

#[test]
fn two_steps_of_one_name_are_refused() {
    refused(
        quote!(step!("a", one()).await?; step!("a", two()).await?;),
        "used twice",
    );
    refused(
        quote!(for x in 0..2 {
            step!("a:{x}", one()).await?;
            step!("a:{y}", two()).await?;
        }),
        "used twice",
    );
    refused(
        quote!(step!(sleep = "1h").await; step!(sleep = "1h").await;),
        "used twice",
    );
}

#[test]
fn a_constant_name_does_not_repeat() {
    for looping in [
        quote!(for x in y {
            step!("a", one()).await?;
        }),
        quote!(while go {
            step!("a", one()).await?;
        }),
        quote!(loop {
            step!("a", one()).await?;
        }),
        quote!(while step!("a", one()).await? {}),
    ] {
        refused(looping, "is in a loop");
    }
    refused(
        quote!(let f = y.map(|x| step!("a", one(x)));),
        "is in a closure",
    );
    accepted(quote!(for x in step!("a", one()).await? {
        step!("b:{x}", one()).await?;
    }));
}

#[test]
fn former_names_lead_to_one_step() {
    accepted(quote!(
        step!("a", was = ["b", "c:{x}"], one()).await?;
        step!("nap", was = ["rest"], sleep = "1h").await;
        step!("paid", event = Paid, was = ["payed"]).await?;
        step!("bill", was = ["invoice"], steps = bill(&input)).await?;
        for x in y {
            step!("d:{x}", was = ["e:{x}"], one()).await?;
        }
    ));
    refused(
        quote!(step!("a", was = "b", one()).await?;),
        "a list of texts",
    );
    refused(
        quote!(step!("a", was = [b], one()).await?;),
        "a list of texts",
    );
    refused(quote!(step!("a", was = [""], one()).await?;), "is empty");
    refused(
        quote!(step!("a", was = ["a"], one()).await?;),
        "is called now",
    );
    refused(
        quote!(step!("a", was = ["b", "b"], one()).await?;),
        "in the list already",
    );
    refused(
        quote!(step!("b", one()).await?; step!("a", was = ["b"], one()).await?;),
        "is the name of another step",
    );
    refused(
        quote!(step!("a", was = ["b"], one()).await?; step!("b", one()).await?;),
        "is a former name of step \"a\"",
    );
    refused(
        quote!(step!("a", was = ["b"], one()).await?; step!("c", was = ["b"], one()).await?;),
        "is a former name of step \"a\"",
    );
    refused(
        quote!(for x in y {
            step!("d:{x}", was = ["e"], one()).await?;
        }),
        "on every pass",
    );
}

#[test]
fn step_names_are_checked() {
    refused(quote!(step!("", one()).await?;), "is empty");
    refused(quote!(step!("a/b", one()).await?;), "contains `/`");
    refused(quote!(step!("a:{x}{y}", one()).await?;), "put a `:`");
    refused(quote!(step!("a:{x:?}", one()).await?;), "format options");
    let long = "x".repeat(201);
    refused(quote!(step!(#long, one()).await?;), "201 bytes");
}
