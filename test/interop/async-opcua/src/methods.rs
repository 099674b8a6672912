//! Calling methods.

use opcua::{
    client::Session,
    types::{CallMethodRequest, CallMethodResult, NumericRange, Variant},
};

use crate::{
    Script,
    config::{Input, Method, Output},
    plain::{make_variant, want_plain},
    report::{At, Failure, Problems, Step},
    values::{read_value, want_same, want_status},
};

impl Script {
    pub async fn call_methods(&self) -> Step {
        let connection = self.connect_main().await?;
        let mut problems = Problems::default();
        for method in &self.config.methods {
            let called = call(&connection, method).await;
            problems.add(want_status(called, method.status.as_deref()).at(&method.name));
        }
        connection.close().await?;
        problems.or(format!("{} calls", self.config.methods.len()))
    }
}

/// Calls and compares the outputs. It fails with the method's status if that isn't Good.
async fn call(session: &Session, method: &Method) -> Result<(), Failure> {
    let mut inputs = Vec::new();
    for input in &method.inputs {
        inputs.push(match input {
            Input::Given { r#type, value } => make_variant(r#type, value)?,
            Input::Read { read } => read_value(session, read, NumericRange::None)
                .await
                .at(read)?,
        });
    }
    let result = session
        .call_one(CallMethodRequest {
            object_id: method.object_id.clone(),
            method_id: method.method_id.clone(),
            input_arguments: Some(inputs.clone()),
        })
        .await?;
    if !result.status_code.is_good() {
        return Err(refused(&result));
    }
    let Some(wanted) = &method.outputs else {
        return Ok(());
    };
    let outputs = result.output_arguments.unwrap_or_default();
    if outputs.len() != wanted.len() {
        return Err(Failure::Fails(format!("{} outputs", outputs.len())));
    }
    for (i, (got, wanted)) in outputs.iter().zip(wanted).enumerate() {
        compare(got, wanted, &inputs).at(format!("output {i}"))?;
    }
    Ok(())
}

fn refused(result: &CallMethodResult) -> Failure {
    let arguments = result.input_argument_results.iter().flatten();
    match arguments.enumerate().find(|(_, status)| !status.is_good()) {
        Some((i, status)) => Failure::Fails(format!("input {i}: {status}: {}", result.status_code)),
        None => result.status_code.into(),
    }
}

fn compare(got: &Variant, wanted: &Output, inputs: &[Variant]) -> Result<(), Failure> {
    match wanted {
        Output::SameAs { input } => want_same(got, &inputs[*input]),
        Output::Given { value } => want_plain(got, value),
    }
}
