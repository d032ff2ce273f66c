//! What a step takes from its body and gives back to it.

use super::*;

#[test]
fn a_write_of_a_step_to_a_variable_outside_is_refused() {
    for body in [
        quote!(let mut n = 0; step!("a", { n = 5; Ok(()) }).await?;),
        quote!(let mut n = 0; step!("a", async { n += one().await?; Ok(()) }).await?;),
        quote!(let mut n = Pair::new(); step!("a", { n.left[0] = 5; Ok(()) }).await?;),
        quote!(let n = &mut pair; step!("a", { *n = 5; Ok(()) }).await?;),
        quote!(let mut list = vec![]; step!("a", fill(&mut list)).await?;),
        quote!(let mut list = vec![]; step!("a", { list.push(one().await?); Ok(()) }).await?;),
        quote!(step!("a", attempts = 3, { input.n = 5; Ok(()) }).await?;),
        quote!(let mut n = 0; step!("a", tx = |tx: &mut Tx| { n = 5; write(tx) }).await?;),
    ] {
        refused(body, "the write would be lost");
    }
}

#[test]
fn a_step_may_write_to_what_is_its_own() {
    for body in [
        quote!(step!("a", { let mut n = 0; n += 5; Ok(n) }).await?;),
        quote!(let n = 1; step!("a", { let mut n = n; n += 5; Ok(n) }).await?;),
        quote!(let mut list = vec![]; step!("a", move { list.push(1); Ok(list) }).await?;),
        quote!(let mut list = vec![]; step!("a", async move { list.push(1); Ok(list) }).await?;),
        quote!(let queue = Queue::new(); step!("a", { queue.push(1); Ok(()) }).await?;),
        quote!(step!("a", { for i in 0..3 { total(&mut sum(i)); } Ok(()) }).await?;),
        quote!(step!("a", tx = |tx: &mut Tx| write(&mut *tx)).await?;),
        quote!(let n = cell(); step!("a", { *n.lock() = 5; Ok(()) }).await?;),
    ] {
        accepted(body);
    }
}

#[test]
fn a_reference_as_the_result_of_a_step_is_refused() {
    for body in [
        quote!(step!("a", { Ok("done") }).await?;),
        quote!(step!("a", async { Ok::<_, Failure>(&name[..]) }).await?;),
        quote!(step!("a", move { one().await?; Ok(name.as_str()) }).await?;),
    ] {
        refused(body, "a reference cannot be read back");
    }
    accepted(quote!(step!("a", { Ok("done".to_owned()) }).await?;));
}

#[test]
fn an_async_move_block_takes_what_it_captures() {
    let (marked, _) = read(
        quote!(step!("a", async move { one(list).await }).await?;),
        false,
    );
    assert!(
        marked.tokens.to_string().contains("@ once"),
        "{}",
        marked.tokens
    );
    let tried_again = quote!(step!("a", attempts = 3, async move { one().await }).await?;);
    let (marked, _) = read(tried_again, false);
    assert!(
        marked.tokens.to_string().contains("@ run"),
        "{}",
        marked.tokens
    );
}
