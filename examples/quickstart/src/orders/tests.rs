//! What is refused, and which place the report shows.

use super::*;
use miette::Diagnostic;

/// The report of a malformed file: its message, and the text under each label with its words.
fn refused(text: &str) -> (String, Vec<(String, String)>) {
    let failure = parse("orders.json", text).unwrap_err();
    let bad = failure.find::<BadOrders>().unwrap();
    let source = bad.source_code().unwrap();
    let labels = bad.labels().unwrap().map(|label| {
        let found = source.read_span(label.inner(), 0, 0).unwrap();
        let found = String::from_utf8(found.data().to_vec()).unwrap();
        (found, label.label().unwrap_or_default().to_owned())
    });
    (bad.to_string(), labels.collect())
}

fn with_item(item: &str) -> String {
    format!("[\n  {{ \"id\": \"A-1\", \"customer\": \"Ada\", \"items\": [\n    {item}\n  ] }}\n]\n")
}

#[test]
fn the_shipped_orders_are_well_formed_and_one_is_never_paid() {
    let orders = read(None).unwrap();
    assert_eq!(orders.iter().filter(|listed| !listed.pays).count(), 1);
    assert_eq!(orders[0].order.goods, "1 teapot, 4 cup");
    assert_eq!(orders[0].order.cents, 6_900);
}

#[test]
fn a_zero_quantity_is_shown_where_it_stands() {
    let (message, labels) = refused(&with_item(r#"{ "sku": "tea", "quantity": 0, "cents": 5 }"#));
    assert!(message.contains("line 3, column 33"), "{message}");
    let words = "invalid value: integer `0`, expected a quantity from 1 to 1000";
    assert_eq!(labels, [("0".into(), words.into())]);
}

#[test]
fn a_negative_price_is_shown_where_it_stands() {
    let (_, labels) = refused(&with_item(
        r#"{ "sku": "tea", "quantity": 1, "cents": -50 }"#,
    ));
    let words = "invalid type: integer `-50`, expected a price in cents from 0 to 100000000";
    assert_eq!(labels, [("-50".into(), words.into())]);
}

#[test]
fn an_unknown_field_is_shown_with_those_there_are() {
    let (_, labels) = refused(&with_item(r#"{ "sku": "tea", "colour": "red" }"#));
    let words = "unknown field `colour`, expected one of `sku`, `quantity`, `cents`";
    assert_eq!(labels, [("\"colour\"".into(), words.into())]);
}

#[test]
fn a_missing_field_is_shown_at_the_end_of_its_item() {
    let (_, labels) = refused(&with_item(r#"{ "sku": "tea", "quantity": 1 }"#));
    assert_eq!(labels, [("}".into(), "missing field `cents`".into())]);
}

#[test]
fn a_mistake_of_syntax_is_shown_where_it_stands() {
    let (_, labels) = refused("[\n  { \"id\": \"A-1\" \"customer\": \"Ada\" }\n]\n");
    assert_eq!(labels[0].1, "expected `,` or `}`");
}

#[test]
fn an_order_number_that_fits_no_column_is_refused() {
    let (_, labels) = refused("[{ \"id\": \"A 1\" }]");
    assert_eq!(labels[0].0, "\"A 1\"");
    assert!(labels[0].1.contains("1 to 16 letters"), "{labels:?}");
}

#[test]
fn two_orders_of_one_number_are_both_shown() {
    let one = r#"{ "id": "A-1", "customer": "A-1", "items": [{ "sku": "A-1", "quantity": 1, "cents": 1 }] }"#;
    let (message, labels) = refused(&format!("[{one}, {one}]"));
    assert_eq!(message, "two orders of orders.json have the number A-1");
    let expected = [("\"A-1\"", "first here"), ("\"A-1\"", "and again here")];
    assert_eq!(
        labels,
        expected.map(|(found, words)| (found.into(), words.into()))
    );
}

#[test]
fn an_order_without_items_is_refused() {
    let (_, labels) = refused(r#"[{ "id": "A-1", "customer": "Ada", "items": [] }]"#);
    assert_eq!(labels[0].1, "invalid length 0, expected at least one item");
}

#[test]
fn a_file_without_orders_is_refused() {
    let (message, labels) = refused("[]\n");
    assert_eq!(
        message,
        "a file holds 1 to 100 orders, and orders.json holds 0"
    );
    assert_eq!(labels, [("[".into(), "a list of 0".into())]);
}

#[test]
fn a_file_that_breaks_off_is_shown_at_its_end() {
    for text in ["", "[", "[{ \"customer\": \"Zoë", "{ \"é"] {
        assert!(!refused(text).1.is_empty(), "{text}");
    }
}
